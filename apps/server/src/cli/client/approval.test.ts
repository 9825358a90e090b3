// `bowline login` at a server that is hostile or fails: a double, as no real one misbehaves like that.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { commandLine } from '../testing.ts'
import { awaitApproval } from './approval.ts'

type Said = { readonly status: number; readonly body: object } | 'broken'

/** A server that says one thing after the other, and the last one again and again. @returns its origin */
async function serverThatSays(...said: readonly Said[]): Promise<string> {
  let asked = 0
  const server = createServer((request, answer) => {
    request.resume()
    const next = said[Math.min(asked, said.length - 1)]
    asked += 1
    if (next === undefined || next === 'broken') return void request.socket.destroy()
    answer.writeHead(next.status, { 'content-type': 'application/json' }).end(JSON.stringify(next.body))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Waits for an approval in no time. @returns the outcome and the seconds that it waited */
async function approvalBy(origin: string, interval: number, expires_in = 600) {
  let now = 0
  const waits: number[] = []
  const wait = (milliseconds: number): Promise<void> => {
    now += milliseconds
    waits.push(milliseconds / 1_000)
    return Promise.resolve()
  }
  const asking = awaitApproval({ now: () => now, wait }, origin, { device_code: 'code', interval, expires_in })
  const end = await asking.then(
    ({ user }) => user,
    (error: unknown) => String(error),
  )
  return { end, waits }
}

const pending: Said = { status: 400, body: { code: 'CODE_PENDING', message: 'Nobody has approved the code yet.' } }
const limited: Said = { status: 429, body: { code: 'TOO_MANY_REQUESTS', message: 'Too many.' } }
const failing: Said = { status: 503, body: {} }
const approved: Said = { status: 200, body: { user: 'ada' } }

it.each([0, -1, 0.001])('a server cannot make the command ask all the time: an interval of %d', async (interval) => {
  expect(await approvalBy(await serverThatSays(pending, pending, approved), interval)).toEqual({
    end: 'ada',
    waits: [5, 5],
  })
})

it('a limit, a failure and a broken connection do not end the wait', async () => {
  const origin = await serverThatSays(limited, 'broken', failing, approved)
  expect(await approvalBy(origin, 5)).toEqual({ end: 'ada', waits: [10, 10, 10] })
})

it('the wait ends with the code, also where the server goes on, and at a refusal', async () => {
  expect((await approvalBy(await serverThatSays(pending), 5, 20)).waits).toEqual([5, 5, 5, 5])
  expect((await approvalBy(await serverThatSays(failing), 60, 1e9)).waits).toHaveLength(60)
  const denied: Said = { status: 400, body: { code: 'CODE_DENIED', message: 'The sign-in was denied.' } }
  expect(await approvalBy(await serverThatSays(denied), 5)).toMatchObject({ waits: [] })
})

it('what a server says reaches the terminal without control characters', async () => {
  const home = await mkdtemp(join(tmpdir(), 'bowline-approval-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const code = { user_code: 'AB\u001b]0;owned\u0007', device_code: 'c', interval: 5, expires_in: 600 }
  const started: Said = {
    status: 200,
    body: { ...code, verification_uri_complete: 'https://x.example/\u009b2J\u202e' },
  }
  const refused: Said = { status: 400, body: { code: 'CODE_DENIED', message: 'denied\u001b[2J' } }
  const { run } = commandLine(() => ({ HOME: home }))
  const { status, errors } = await run(['login', await serverThatSays(started, refused)])
  expect(status).toBe(1)
  expect(errors).toMatch(/AB\]0;owned within[\s\S]*denied\[2J/)
  expect(errors).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
})
