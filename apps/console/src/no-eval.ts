// Must be imported before any schema is created. On the first object schema zod probes whether it may compile parsers;
// the probe itself violates the content security policy, which forbids `eval`. The build keeps this module in the same
// chunk as the schemas: from the chunk of start.ts it would run too late.
import { z } from 'zod'

z.config({ jitless: true })
