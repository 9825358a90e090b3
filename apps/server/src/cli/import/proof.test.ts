// `bowline import apply` of a person with a second factor, which the server asks for before administrators are invited.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, it, onTestFinished } from 'vitest'
import { addFactor, codeAt } from '../../mfa/testing.ts'
import { bootServer } from '../../testing/boot.ts'
import { runCommand } from '../program.ts'
import type { Report } from './report.ts'
import { fetchOptions, filledServer, homeOf } from './testing.ts'

it('asks for a code once, and says what is missing where nobody can be asked', async () => {
  const clock = new ManualClock(Date.now())
  const server = await bootServer({ clock, settings: { BOWLINE_REGISTRATION: 'invited' } })
  onTestFinished(() => server.close())
  const ada = await server.setUpAccount()
  const { secret } = await addFactor(ada.client, clock)
  clock.advance(11 * 60_000)
  const old = await filledServer()
  onTestFinished(() => old[Symbol.asyncDispose]())
  old.state.rules = []
  old.state.members.push({ id: '4', email: 'second@example.com', role: 'administrator', status: 'accepted' })
  const cli = await homeOf(server, ada)
  onTestFinished(cli.remove)
  await cli.bowline(await fetchOptions(cli.home, old))
  const apply = `import apply ${cli.home}/old.json --create`
  expect(await cli.refusal(apply)).toEqual([1, expect.stringContaining('run the command in a terminal')])
  const [out, asked]: [string[], string[]] = [[], []]
  const status = await runCommand([...apply.split(' '), '--json'], {
    env: { HOME: cli.home },
    read: () => Promise.resolve(''),
    ask: (prompt) => {
      asked.push(prompt)
      return Promise.resolve(` ${codeAt(secret, clock.now())}\n`)
    },
    print: (line) => out.push(line),
    complain: (line) => asked.push(line),
  })
  expect([status, asked]).toEqual([0, ['Code of your authenticator: ']])
  const { lines } = JSON.parse(out[0] ?? '') as Report
  const invited = lines.filter(({ what, outcome }) => what === 'member' && outcome === 'created')
  expect(invited.map(({ name }) => name)).toEqual(['owner@example.com', 'grace@example.com', 'second@example.com'])
})
