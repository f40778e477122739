// SPDX-License-Identifier: GPL-2.0-or-later
// The statements of an SQL file, one after the other, in DuckDB from npm: what each SELECT gives, as JSON, a line each.
//
//    NODE_PATH=.../node_modules node duck.js [--threads=N] FILE
const fs = require("fs");
const { DuckDBInstance } = require("@duckdb/node-api");

async function main(argv) {
   const threads = argv[0].startsWith("--threads=") ? argv.shift().slice(10) : "2";
   const instance = await DuckDBInstance.create(":memory:", { threads });
   const connection = await instance.connect();
   const text = fs.readFileSync(argv[0], "utf8").replace(/^\s*--.*$/gm, "");
   for (const statement of text.split(/;\s*$/m).map(s => s.trim()).filter(s => s !== "")) {
      const reader = await connection.runAndReadAll(statement);
      if (/^SELECT/i.test(statement))
         console.log(JSON.stringify(reader.getRowObjectsJson()));
   }
}

main(process.argv.slice(2)).catch(e => { console.error(String(e)); process.exit(1); });
