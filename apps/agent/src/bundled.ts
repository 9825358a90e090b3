// What the bundle's executable runs first: it holds three programs. The one for files and the one for PAM are scripts of
// their own, of which an agent loads nothing, and which load nothing of the agent into a process that serves a person.
import { getAsset } from 'node:sea'
import { compileFunction } from 'node:vm'
import { PROGRAMS } from './own-program.ts'

const word = process.argv[2] ?? ''

if (Object.hasOwn(PROGRAMS, word)) {
  // Of the bundle's assets; under this name it is built in (scripts/agent-bundle).
  const filename = `${word}.cjs`
  const script = compileFunction(getAsset(filename, 'utf8'), ['require'], { filename })
  // Of Node itself and nothing else: a file beside it would be one more thing that root loads.
  Reflect.apply(script, undefined, [(name: string) => process.getBuiltinModule(name)])
} else void import('./main.ts')
