// Entry point of `bowline server` and the other commands.
import { text } from 'node:stream/consumers'
import { runCommand } from './cli/program.ts'
import { askQuestion } from './platform/input/question.ts'
import { askSecret } from './platform/input/secret-prompt.ts'

const status = await runCommand(process.argv.slice(2), {
  env: process.env,
  read: () => text(process.stdin),
  askSecret: process.stdin.isTTY ? askSecret : undefined,
  ask: process.stdin.isTTY ? askQuestion : undefined,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
})
if (status !== 0) process.exit(status)
