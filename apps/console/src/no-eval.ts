// Imported before anything that makes schemas. zod looks whether it may compile parsers as soon as the first object schema
// is made; that look is itself a violation of the content security policy, which refuses `eval`. The build keeps this module
// in the file of the schemas: from the file of main.tsx it would run after them.
import { z } from 'zod'

z.config({ jitless: true })
