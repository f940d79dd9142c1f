// The peer of the compaction job: the published compactEvents of @ag-ui/client, as a user writes it today.
// node compact.mjs INPUT_DIR OUTPUT_FILE: read envelopes, group them by thread, compact each, write NDJSON.
import { createReadStream, createWriteStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { compactEvents } from "@ag-ui/client";

const [input, output] = process.argv.slice(2);
const files = readdirSync(input, { recursive: true }).filter((name) => name.endsWith(".ndjson")).sort();
const threads = new Map();
for (const name of files) {
  for await (const line of createInterface({ input: createReadStream(join(input, name)) })) {
    let record;
    try {
      record = JSON.parse(line);
    } catch {
      continue;
    }
    const events = threads.get(record.threadId);
    if (events) events.push(record.event);
    else threads.set(record.threadId, [record.event]);
  }
}
const out = createWriteStream(output);
let count = 0;
for (const [threadId, events] of threads) {
  let compacted;
  try {
    compacted = compactEvents(events);
  } catch {
    compacted = events;
  }
  for (const event of compacted) {
    count += 1;
    if (!out.write(JSON.stringify({ threadId, event }) + "\n")) await once(out, "drain");
  }
}
out.end();
await once(out, "finish");
console.log(JSON.stringify({ threads: threads.size, events: count }));
