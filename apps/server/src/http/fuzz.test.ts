// Arbitrary input to every operation: no answer is a server failure, each matches the published document, body and
// headers included, and none reveals internals. The inputs come from the contract; FUZZ_RUNS makes the test longer.
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { callPath } from '@bowline/contract/client'
import { type Operation, pathParameters } from '@bowline/contract/operation'
import { allOperations } from '@bowline/contract/operations'
import { awkwardText, example, fitting, nearly } from '@bowline/contract/testing'
import { type Arbitrary, assert, asyncProperty, constant, constantFrom, oneof, record, tuple } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { type Answer, createJudge } from '../testing/answers.ts'
import { type World, paramsOf, populate } from '../testing/http-server.ts'
import { shortForm } from '../../../../scripts/short-form.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 12)
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_120)

let server: BootedServer
let world: World
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
beforeAll(async () => {
  // This edition has every operation.
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1', BOWLINE_EDITION: 'cloud' } })
  world = await populate(server, await server.setUpAccount())
})
afterAll(async () => {
  agent.destroy()
  await server.close()
})

interface Shot {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** Sends the path unchanged: fetch would normalise it. A stream is left after its head. */
function send(operation: Operation, shot: Shot): Promise<Answer> {
  const { hostname, port } = new URL(server.origin)
  return new Promise((resolve, reject) => {
    const { path, body } = shot
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const headers = { ...shot.headers, ...length }
    const outgoing = request({ agent, hostname, port, path, method: operation.method, headers }, (incoming) => {
      const { statusCode: status = 0, headers: received } = incoming
      if (operation.stream && status === 200) {
        incoming.destroy()
        resolve({ status, headers: received, text: '' })
        return
      }
      text(incoming).then((answer) => resolve({ status, headers: received, text: answer }), reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** One segment of a path: a real id, text that is encoded, or bytes that cannot be decoded. */
function segment(real: string): Arbitrary<string> {
  // An empty segment would be the path of another operation.
  const encoded = awkwardText.map((value) => encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27') || '%20')
  return oneof({ weight: 2, arbitrary: constant(real) }, encoded, constantFrom('%zz', '%ff', '%', '%00', '%2e%2e', '*'))
}

function paths(operation: Operation): Arbitrary<string> {
  const real = paramsOf(operation, world)
  const names = pathParameters(operation.path)
  const template = constantFrom(operation.path, ...(operation.aliases ?? []))
  return tuple(template, ...names.map((name) => segment(real[name] ?? ''))).map(([path, ...values]) =>
    names.reduce((filled, name, i) => filled.replace(`{${name}}`, () => values[i] ?? ''), path),
  )
}

function queries(operation: Operation): Arbitrary<string> {
  const wild = tuple(awkwardText, awkwardText).map(([name, value]) => [[name, value]])
  if (!operation.query) return oneof(constant(''), wild.map(toQuery))
  const known = nearly(operation.query).map((value) =>
    Object.entries(typeof value === 'object' && value !== null ? value : {}).map(([name, part]) => [
      name,
      asText(part),
    ]),
  )
  return oneof(constant(''), wild.map(toQuery), { weight: 4, arbitrary: known.map(toQuery) })
}

function toQuery(pairs: string[][]): string {
  const query = pairs.map((pair) => pair.map((word) => encodeURIComponent(word.toWellFormed())).join('='))
  return query.length ? `?${query.join('&')}` : ''
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function bodies(operation: Operation): Arbitrary<string | undefined> {
  const broken = constantFrom('', '{', '[[[[', 'null', '"', '\u0000', '{"a":1}{', '['.repeat(5_000))
  if (!operation.body) return oneof({ weight: 3, arbitrary: constant(undefined) }, broken)
  const made = oneof(fitting(operation.body), { weight: 3, arbitrary: nearly(operation.body) })
  return oneof(constant(undefined), broken, { weight: 6, arbitrary: made.map((value) => JSON.stringify(value)) })
}

function credentials(): Arbitrary<Record<string, string>> {
  const { owner, device, apiKey } = world
  const printable = awkwardText.map((value) => value.replaceAll(/[^\x20-\x7e]/g, '?'))
  return oneof(
    { weight: 6, arbitrary: constant({ authorization: `Bearer ${owner.auth.token}` }) },
    { weight: 2, arbitrary: constant({ 'x-api-key': apiKey }) },
    constant({}),
    constant({ authorization: `Bearer ${device.token}` }),
    printable.map((value) => ({ authorization: value })),
    printable.map((value) => ({ 'x-api-key': value })),
    printable.map((value) => ({ cookie: `bowline=${value}`, 'last-event-id': value, 'x-forwarded-for': value })),
  )
}

const types = constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'nonsense')

function shots(operation: Operation): Arbitrary<Shot> {
  return record({
    path: tuple(paths(operation), queries(operation)).map(([path, query]) => path + query),
    body: bodies(operation),
    headers: tuple(credentials(), oneof({ weight: 5, arbitrary: constant('application/json') }, types)).map(
      ([credential, type]) => ({ ...credential, 'content-type': type }),
    ),
  })
}

/** Text that random input rarely hits, in every text field of the body. */
function unlucky(operation: Operation): [Shot][] {
  const { owner } = world
  const headers = { authorization: `Bearer ${owner.auth.token}`, 'content-type': 'application/json' }
  const path = callPath(operation, { params: paramsOf(operation, world) })
  const made: unknown = operation.body && example(operation.body)
  const body = typeof made === 'object' && made !== null ? made : {}
  return Object.entries(body)
    .filter(([, value]) => typeof value === 'string')
    .flatMap(([name]) => ['a\0b', '\u{d800}', 'a'.repeat(70_000)].map((text) => ({ ...body, [name]: text })))
    .map((changed) => [{ path, headers, body: JSON.stringify(changed) }])
}

const judge = createJudge()
const all = allOperations()
// Removals come last, so that earlier calls have rows to act on.
const harm = ({ operation: { method } }: (typeof all)[number]) => (method === 'DELETE' ? 1 : 0)

describe('operations with arbitrary input', () => {
  it.each(shortForm(all, 2).toSorted((a, b) => harm(a) - harm(b)))(
    'answers arbitrary input as documented: $id',
    async ({ id, operation }) => {
      await assert(
        asyncProperty(shots(operation), async (shot) => {
          const answered = await send(operation, shot)
          const { status, headers, text: answer } = answered
          const wrong = judge(operation, answered)
          if (wrong !== undefined) throw new Error(`${id} answered ${status}, but ${wrong}: ${answer.slice(0, 500)}`)
          if (status >= 500 && status !== 501) throw new Error(`${id} failed with ${status}: ${answer.slice(0, 500)}`)
          if (headers['x-request-id'] === undefined) throw new Error(`${id} answered without a request id`)
          if (/\bat .+:\d+:\d+|node_modules|\/src\//.test(answer))
            throw new Error(`${id} revealed: ${answer.slice(0, 500)}`)
          if (headers['x-injected'] !== undefined) throw new Error(`${id} let a header in`)
        }),
        { seed: SEED, numRuns: RUNS, examples: unlucky(operation) },
      )
    },
  )

  it('leaves the server healthy and no prototype polluted', async () => {
    expect((await server.fetch('/healthcheck')).status).toBe(200)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})
