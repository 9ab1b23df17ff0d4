-- Samples of profiles in SQLite, which load-sqlite adds.  `stack` is as
-- `pbcat --csv` writes it: functions from the leaf to the root, separated by
-- semicolons, with a backslash before each semicolon or backslash in a name.
CREATE TABLE IF NOT EXISTS sample (
    host TEXT, day TEXT, value INTEGER, stack TEXT);

-- A row for each frame.  Depth 0 is the leaf.
CREATE VIEW IF NOT EXISTS frame AS
SELECT host, day, sample.value AS value, sample.rowid AS sample,
    json_each.key AS depth, json_each.value AS function
FROM sample, json_each('[' || replace(replace(replace(replace(replace(
    json_quote(stack), '\\\\', char(1)), '\\;', char(2)), ';', '","'),
    char(2), ';'), char(1), '\\') || ']');

-- Flat and cumulative values, as pbcat shows them.  A recursive function counts
-- once in a stack.
CREATE VIEW IF NOT EXISTS function AS
SELECT host, day, function,
    sum(CASE WHEN depth = 0 THEN value ELSE 0 END) AS flat, sum(value) AS cum
FROM (SELECT host, day, function, value, min(depth) AS depth
    FROM frame GROUP BY host, day, function, value, sample)
GROUP BY host, day, function;
