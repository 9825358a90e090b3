// The prompt for a secret, at a real terminal.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const PROGRAM = `import { askSecret } from ${JSON.stringify(new URL('./secret-prompt.ts', import.meta.url).href)}
const typed = await askSecret('Password: ')
console.log('read ' + typed.length + ' characters')`

/** Runs the prompt in a terminal of its own. @returns everything that the terminal showed */
async function shown(typed: string): Promise<string> {
  const command = `"${process.execPath}" --input-type=module -e "$PROGRAM"`
  const run = spawn('script', ['-qec', command, '/dev/null'], { env: { ...process.env, PROGRAM }, stdio: 'pipe' })
  let sent = false
  run.stdout.on('data', (bytes: Buffer) => {
    if (sent || !bytes.includes('Password: ')) return
    sent = true
    run.stdin.write(typed)
  })
  return text(run.stdout)
}

it('reads a line that the terminal does not show', async () => {
  const output = await shown('correct-horse-1\r')
  expect(output).toContain('Password: ')
  expect(output).toContain('read 15 characters')
  expect(output).not.toContain('correct-horse')
})

it('ends with the program when it is interrupted', async () => {
  expect(await shown('corr\u0003')).not.toContain('read')
})
