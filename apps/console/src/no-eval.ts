// Must be imported before any schema is created. On the first object schema zod probes whether it may compile parsers;
// the probe itself violates the content security policy, which forbids `eval`. This is where zod keeps its configuration:
// importing zod to change it would have the entry of the page wait for all schemas.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
