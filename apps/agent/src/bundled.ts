// Entry point of the bundle's executable, which holds three programs. The one for files and the one for PAM are
// separate scripts: the agent loads nothing of them, and they load nothing of the agent into a process that serves a
// user.
import { getAsset } from 'node:sea'
import { compileFunction } from 'node:vm'
import { PROGRAMS } from './own-program.ts'

const word = process.argv[2] ?? ''

if (Object.hasOwn(PROGRAMS, word)) {
  // An asset of the bundle, embedded under this name (scripts/agent-bundle).
  const filename = `${word}.cjs`
  const script = compileFunction(getAsset(filename, 'utf8'), ['require'], { filename })
  // Requires Node's built-ins only: a file beside it would be one more thing that root loads.
  Reflect.apply(script, undefined, [(name: string) => process.getBuiltinModule(name)])
} else void import('./main.ts')
