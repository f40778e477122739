-- Questions about many runs, for DuckDB, to the tables that `dcfg export --tables=tables' wrote.
-- Start DuckDB in the directory in which `tables' is:  duckdb :memory: '.read fleet.sql'

CREATE VIEW runs AS SELECT * FROM read_csv('tables/runs/*/*.csv.gz', header = true, hive_partitioning = true, columns = {
   run: 'VARCHAR', process: 'BIGINT', threads: 'BIGINT', instructions: 'UBIGINT' });
CREATE VIEW images AS SELECT * FROM read_csv('tables/images/*/*.csv.gz', header = true, hive_partitioning = true, columns = {
   run: 'VARCHAR', process: 'BIGINT', image: 'VARCHAR', path: 'VARCHAR', load_addr: 'UBIGINT', size: 'UBIGINT',
   instructions: 'UBIGINT' });
CREATE VIEW functions AS SELECT * FROM read_csv('tables/functions/*/*.csv.gz', header = true, hive_partitioning = true, columns = {
   run: 'VARCHAR', process: 'BIGINT', image: 'VARCHAR', addr: 'BIGINT', name: 'VARCHAR', size: 'UBIGINT',
   instructions: 'UBIGINT', blocks: 'BIGINT', calls: 'UBIGINT' });
CREATE VIEW blocks AS SELECT * FROM read_csv('tables/blocks/*/*.csv.gz', header = true, hive_partitioning = true, columns = {
   run: 'VARCHAR', process: 'BIGINT', image: 'VARCHAR', addr: 'BIGINT', size: 'BIGINT', instrs: 'BIGINT',
   executions: 'UBIGINT', function_addr: 'BIGINT' });
CREATE VIEW edges AS SELECT * FROM read_csv('tables/edges/*/*.csv.gz', header = true, hive_partitioning = true, columns = {
   run: 'VARCHAR', process: 'BIGINT', image: 'VARCHAR', addr: 'BIGINT', to_image: 'VARCHAR', to_addr: 'BIGINT',
   type: 'VARCHAR', traversals: 'UBIGINT' }, nullstr = 'no field is null');
CREATE VIEW loops AS SELECT * FROM read_csv('tables/loops/*/*.csv.gz', header = true, hive_partitioning = true, columns = {
   run: 'VARCHAR', process: 'BIGINT', image: 'VARCHAR', addr: 'BIGINT', function_addr: 'BIGINT', blocks: 'BIGINT',
   entries: 'UBIGINT', iterations: 'UBIGINT', instructions: 'UBIGINT' });
CREATE VIEW lines AS SELECT * FROM read_csv('tables/lines/*/*.csv.gz', header = true, hive_partitioning = true, columns = {
   run: 'VARCHAR', process: 'BIGINT', image: 'VARCHAR', file: 'VARCHAR', line: 'BIGINT', instructions: 'UBIGINT' },
   nullstr = 'no field is null');

-- A process is a run's name and its process id: one file may have several processes.
-- Functions in which a run differs from the median run by more than 1% of what the median run executes.  A run without
-- the function counts with 0.
CREATE VIEW outliers AS
WITH total AS (SELECT count(*) AS n, median(instructions::DOUBLE) AS middle FROM runs),
f AS (SELECT run, process, image, addr, any_value(name) AS name, sum(instructions)::DOUBLE AS n
      FROM functions GROUP BY ALL),
m AS (SELECT image, addr, any_value(name) AS name, count(*) AS has, list_sort(list(n)) AS sorted FROM f GROUP BY image, addr),
middle AS (SELECT m.image, m.addr, m.name, m.has,
                  CASE WHEN 2 * m.has <= total.n THEN 0 ELSE m.sorted[(total.n + 1) // 2 - (total.n - m.has)] END AS n
           FROM m, total),
gap AS (
   SELECT f.run, f.process, f.image, f.addr, f.name, f.n AS instructions, middle.n AS median
   FROM f JOIN middle USING (image, addr) WHERE f.n <> middle.n
   UNION ALL
   SELECT r.run, r.process, middle.image, middle.addr, middle.name, 0, middle.n
   FROM middle, runs r, total
   WHERE middle.has < total.n AND middle.n > 0
     AND NOT EXISTS (SELECT 1 FROM f WHERE f.run = r.run AND f.process = r.process AND f.image = middle.image
                                       AND f.addr = middle.addr))
SELECT run, process, name, instructions, median, instructions - median AS difference
FROM gap, total WHERE abs(instructions - median) > 0.01 * total.middle
ORDER BY abs(instructions - median) DESC, run, process, name;

-- The program itself: the image with main().  Libraries have most lines and branches that differ from run to run; for
-- these, name another image here, by its build id or path.
CREATE VIEW program AS SELECT DISTINCT image FROM functions WHERE name = 'main';

-- The lines of the program that all runs together executed most.
CREATE VIEW hottest_lines AS
SELECT file, line, sum(instructions)::HUGEINT AS instructions, count(DISTINCT (run, process)) AS runs,
       arg_max(run, instructions) AS most_in
FROM lines WHERE file <> '' AND image IN (FROM program) GROUP BY file, line
ORDER BY instructions DESC, file, line;

-- Where one run alone went another way: branches of the program, taken or not, from blocks that other runs executed, too.
CREATE VIEW branches_of_one_run AS
WITH b AS (SELECT run, process, image, addr, size, function_addr FROM blocks WHERE image IN (FROM program)),
shared AS (SELECT image, addr, size FROM b GROUP BY ALL HAVING count(*) > 1),
lone AS (SELECT image, addr, size, to_image, to_addr, any_value(run) AS run, any_value(process) AS process,
                any_value(function_addr) AS function_addr, any_value(traversals) AS traversals
         FROM edges JOIN b USING (run, process, image, addr)
         WHERE type LIKE '%BRANCH' OR type = 'FALL_THROUGH'
         GROUP BY image, addr, size, to_image, to_addr HAVING count(*) = 1)
SELECT run, process, f.name, lone.addr, to_addr, traversals
FROM lone SEMI JOIN shared USING (image, addr, size)
     JOIN functions f USING (run, process, image) WHERE f.addr = lone.function_addr
ORDER BY run, process, lone.addr, to_addr;

-- What each image executed in all runs, and how far runs are apart.
CREATE VIEW by_image AS
SELECT image, any_value(path) AS path, sum(n)::HUGEINT AS instructions, count(*) AS runs, min(n) AS least, median(n) AS median,
       max(n) AS most, arg_max(run, n) AS most_in
FROM (SELECT run, process, image, any_value(path) AS path, sum(instructions) AS n FROM images GROUP BY run, process, image)
GROUP BY image ORDER BY instructions DESC, image;

SELECT * FROM outliers LIMIT 20;
SELECT * FROM hottest_lines LIMIT 20;
SELECT * FROM branches_of_one_run LIMIT 20;
SELECT * FROM by_image;
