// Cases become what the reference client makes of them: NDJSON in, NDJSON out, one process for all.
//
//   node fold.mjs          {"id", "messages"?, "state"?, "events"}  ->  {"id", "messages", "state", "dropped"}
//                          with "after", it starts from the view of the case with that id (null: from nothing)
//   node fold.mjs verify   {"id", "events"}                         ->  {"id", "index", "error"}, null where all is well
//   node fold.mjs compact  {"id", "events"}                         ->  {"id", "events", "error"} of compactEvents
//   node fold.mjs nulls    {"id", "events"}                         ->  {"id", "events"}, optional nulls left out
//   node fold.mjs legacy   {"id", "events"}                         ->  {"id", "events"}, THINKING_* renamed, ids at random
//
// The client ends a stream at an event on which it throws. Here that event is dropped (its type is listed) and the
// case is run again without it, so that what comes after can be compared too.

import { createInterface } from "node:readline";
import {
  AbstractAgent,
  BackwardCompatibility_0_0_45,
  compactEvents,
  defaultApplyEvents,
  omitOptionalNulls,
  transformChunks,
  verifyEvents,
} from "@ag-ui/client";
import { from, lastValueFrom, tap, toArray } from "rxjs";

console.warn = () => {};

const withoutIndex = (list, index) => list.filter((_, place) => place !== index);

const expandOnce = (events) => {
  const expanded = [];
  let taken = -1;
  let failure = null;
  from(events)
    .pipe(tap(() => (taken += 1)), transformChunks())
    .subscribe({ next: (event) => expanded.push(event), error: (error) => (failure = error) });
  return failure === null ? { expanded } : { failed: taken };
};

const applyOnce = async (messages, state, events, subscribers) => {
  const view = { messages, state };
  const agent = { messages, pendingInterrupts: [] };
  const updates = defaultApplyEvents({ state }, from(events), agent, subscribers).pipe(
    tap((update) => {
      // A document moved into itself, or a function, is no JSON: it counts as thrown.
      JSON.stringify(update);
      if (update.messages !== undefined) view.messages = update.messages;
      if (update.state !== undefined) view.state = update.state;
    }),
    toArray(),
  );
  await lastValueFrom(updates);
  return view;
};

const indexOfFailure = async (messages, state, events) => {
  let taken = -1;
  const counter = { onEvent: () => void (taken += 1) };
  await applyOnce(messages, state, events, [counter]).catch(() => {});
  return taken;
};

const remembered = new Map();

const fold = async ({ id, after, messages = [], state = {}, events }) => {
  if (after === undefined) return foldFrom(id, messages, state, events);
  const base = after === null ? { messages, state } : remembered.get(after);
  const view = await foldFrom(id, base.messages, base.state, events);
  remembered.set(id, view);
  return view;
};

const foldFrom = async (id, messages, state, events) => {
  const dropped = [];
  let left = events;
  let chunks = expandOnce(left);
  while (chunks.failed !== undefined) {
    dropped.push(left[chunks.failed].type);
    left = withoutIndex(left, chunks.failed);
    chunks = expandOnce(left);
  }
  let expanded = chunks.expanded;
  for (;;) {
    const copy = structuredClone({ messages, expanded });
    try {
      const view = await applyOnce(copy.messages, structuredClone(state), copy.expanded, []);
      return { id, ...view, dropped };
    } catch {
      const again = structuredClone({ messages, expanded });
      const failed = await indexOfFailure(again.messages, structuredClone(state), again.expanded);
      dropped.push(expanded[failed].type);
      expanded = withoutIndex(expanded, failed);
    }
  }
};

const verify = ({ id, events }) => {
  let taken = -1;
  let failure = null;
  from(events)
    .pipe(tap(() => (taken += 1)), verifyEvents())
    .subscribe({ error: (error) => (failure = error) });
  return failure === null ? { id, index: null, error: null } : { id, index: taken, error: failure.message };
};

const compact = ({ id, events }) => {
  try {
    return { id, events: compactEvents(events), error: null };
  } catch (error) {
    return { id, events: null, error: error.message };
  }
};

const nulls = ({ id, events }) => ({ id, events: events.map((event) => omitOptionalNulls(event, "Event")) });

class Recording extends AbstractAgent {
  constructor(events) {
    super();
    this.recorded = events;
  }
  run() {
    return from(this.recorded);
  }
}

const legacy = async ({ id, events }) => {
  const middleware = new BackwardCompatibility_0_0_45();
  return { id, events: await lastValueFrom(middleware.run({}, new Recording(events)).pipe(toArray())) };
};

const run = { verify, compact, nulls, legacy }[process.argv[2]] ?? fold;
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
}
