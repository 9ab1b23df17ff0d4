-- Samples of profiles in DuckDB, which load-duckdb adds.  `stack` is as
-- `pbcat --csv` writes it: functions from the leaf to the root, separated by
-- semicolons, with a backslash before each semicolon or backslash in a name.
CREATE TABLE IF NOT EXISTS sample (
    host VARCHAR, day DATE, value BIGINT, stack VARCHAR);

-- A row for each frame.  Depth 0 is the leaf.
CREATE VIEW IF NOT EXISTS frame AS
SELECT host, day, value, sample, generate_subscripts(functions, 1) - 1 AS depth,
    unnest(functions) AS function
FROM (SELECT host, day, value, rowid AS sample, from_json('[' ||
    replace(replace(replace(replace(replace(
    to_json(stack)::VARCHAR, '\\\\', chr(1)), '\\;', chr(2)), ';', '","'),
    chr(2), ';'), chr(1), '\\') || ']', '["VARCHAR"]') AS functions FROM sample);

-- Flat and cumulative values, as pbcat shows them.  A recursive function counts
-- once in a stack.
CREATE VIEW IF NOT EXISTS function AS
SELECT host, day, function,
    sum(CASE WHEN depth = 0 THEN value ELSE 0 END)::BIGINT AS flat,
    sum(value)::BIGINT AS cum
FROM (SELECT host, day, function, value, min(depth) AS depth
    FROM frame GROUP BY host, day, function, value, sample)
GROUP BY host, day, function;
