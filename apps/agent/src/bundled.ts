// What the bundle's executable runs first: it holds two programs. The one for files is a script of its own, of which an
// agent loads nothing, and which loads nothing of the agent into a process that serves a person.
import { getAsset } from 'node:sea'
import { compileFunction } from 'node:vm'
import { SFTP_WORD } from './own-program.ts'

/** Of the bundle's assets; under this name it is built in (scripts/agent-bundle). */
const SFTP_SCRIPT = 'sftp-server.cjs'

if (process.argv[2] === SFTP_WORD) {
  const script = compileFunction(getAsset(SFTP_SCRIPT, 'utf8'), ['require'], { filename: SFTP_SCRIPT })
  // Of Node itself and nothing else: a file beside it would be one more thing that root loads.
  Reflect.apply(script, undefined, [(name: string) => process.getBuiltinModule(name)])
} else void import('./main.ts')
