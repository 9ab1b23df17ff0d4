-- Samples of profiles in PostgreSQL, which load-postgresql adds.  `stack` is as
-- `pbcat --csv` writes it: functions from the leaf to the root, separated by
-- semicolons, with a backslash before each semicolon or backslash in a name.
CREATE TABLE IF NOT EXISTS sample (
    id bigint GENERATED ALWAYS AS IDENTITY,
    host text, day date, value bigint, stack text);

-- A row for each frame.  Depth 0 is the leaf.
CREATE OR REPLACE VIEW frame AS
SELECT host, day, value, id AS sample, n - 1 AS depth, function
FROM sample, json_array_elements_text(('[' ||
    replace(replace(replace(replace(replace(
    to_json(stack)::text, '\\\\', chr(1)), '\\;', chr(2)), ';', '","'),
    chr(2), ';'), chr(1), '\\') || ']')::json)
    WITH ORDINALITY AS frames (function, n);

-- Flat and cumulative values, as pbcat shows them.  A recursive function counts
-- once in a stack.
CREATE OR REPLACE VIEW function AS
SELECT host, day, function,
    sum(CASE WHEN depth = 0 THEN value ELSE 0 END) AS flat, sum(value) AS cum
FROM (SELECT host, day, function, value, min(depth) AS depth
    FROM frame GROUP BY host, day, function, value, sample) AS once
GROUP BY host, day, function;
