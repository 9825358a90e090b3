// `bowline import` from an old server that misbehaves, and into a server at which nobody can register.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { OldServerDouble } from '@bowline/testkit/old-server-double'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import type { Report } from './report.ts'
import { fetchOptions, filledServer, homeOf, mac, oldKey, pem } from './testing.ts'

let server: BootedServer
let ada: Person
let cli: Awaited<ReturnType<typeof homeOf>>
let old: OldServerDouble
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  cli = await homeOf(server, ada)
  old = await filledServer()
  return async () => {
    await cli.remove()
    await old[Symbol.asyncDispose]()
  }
})

/** What `import fetch` says when it fails, and that it has written no file. */
async function failure(): Promise<string> {
  const [status, errors] = await cli.refusal(await fetchOptions(cli.home, old))
  expect(status).toBe(1)
  expect(await readdir(cli.home)).not.toContain('old.json')
  return errors
}
const isDevices = (url: URL): boolean => url.pathname === '/api/devices'

describe('an old server', () => {
  it('cannot send the same page for ever', async () => {
    const page = Array.from({ length: 100 }, (_, i) => ({ uid: String(i), name: 'x' }))
    old.misbehaves = (url, response) => {
      if (!isDevices(url)) return false
      response.writeHead(200, { 'x-total-count': '1000000000' }).end(JSON.stringify(page))
      return true
    }
    expect(await failure()).toContain('sends the same page of /api/devices')
    expect(old.asked.filter((path) => path.startsWith('/api/devices'))).toHaveLength(2)
  })

  it('cannot send new pages for ever', async () => {
    let count = 0
    old.misbehaves = (url, response) => {
      if (url.pathname !== '/api/sshkeys/public-keys') return false
      const page = Array.from({ length: 100 }, () => ({ fingerprint: String((count += 1)) }))
      response.writeHead(200).end(JSON.stringify(page))
      return true
    }
    expect(await failure()).toContain('has more than 10000 items in /api/sshkeys/public-keys')
  })

  it('cannot send more on a page than was asked for', async () => {
    old.misbehaves = (url, response) => {
      if (!isDevices(url)) return false
      response.writeHead(200).end(JSON.stringify(Array.from({ length: 101 }, (_, uid) => ({ uid }))))
      return true
    }
    expect(await failure()).toContain('sends no list, or one that is too long')
  })

  it('cannot send a body without an end', async () => {
    let sent = 0
    const chunk = Buffer.alloc(1_048_576, ' ')
    old.misbehaves = (url, response) => {
      if (!isDevices(url)) return false
      response.writeHead(200)
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length
        sent += chunk.length
      }
      response.on('drain', more)
      more()
      return true
    }
    expect(await failure()).toContain('sends more than any list has')
    expect(sent).toBeLessThan(64 * chunk.length)
  })

  it.each([
    ['text', 'Welcome', 'is it a ShellHub server?'],
    ['an object', '{"devices":[]}', 'sends no list'],
    ['a number', '7', 'sends no list'],
  ])('is refused that answers with %s', async (_, body, text) => {
    old.misbehaves = (url, response) => {
      if (!isDevices(url)) return false
      response.writeHead(200).end(body)
      return true
    }
    expect(await failure()).toContain(text)
  })

  it('cannot have the token sent to another origin', async () => {
    const seen: (string | undefined)[] = []
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.end('[]')
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const there = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    old.misbehaves = (url, response) => {
      if (!isDevices(url)) return false
      response.writeHead(307, { location: `${there}/api/devices` }).end()
      return true
    }
    expect(await failure()).toContain(`redirects to ${there}`)
    expect(seen).toEqual([])
  })

  it('may redirect within its origin, and not in a circle', async () => {
    old.misbehaves = (url, response) => {
      if (!isDevices(url) || url.searchParams.has('again')) return false
      response.writeHead(307, { location: `${url.pathname}${url.search}&again=1` }).end()
      return true
    }
    expect(await cli.bowline(await fetchOptions(cli.home, old))).toContain('devices')
    old.misbehaves = (url, response) => {
      response.writeHead(307, { location: url.href }).end()
      return true
    }
    expect(await cli.refusal(await fetchOptions(cli.home, old))).toEqual([1, expect.stringContaining('in a circle')])
  })

  it('is asked again when it is busy, and refused when it knows the token no longer', async () => {
    let refusals = 2
    old.misbehaves = (url, response) => {
      if (!isDevices(url) || refusals === 0) return false
      response.writeHead((refusals -= 1) === 1 ? 429 : 503, { 'retry-after': '0' }).end()
      return true
    }
    expect(await cli.bowline(await fetchOptions(cli.home, old))).toContain('devices')
    old.misbehaves = (_, response) => {
      response.writeHead(401).end()
      return true
    }
    expect(await cli.refusal(await fetchOptions(cli.home, old))).toEqual([
      1,
      expect.stringContaining('refuses the token'),
    ])
  })

  it('names what it sends and nobody can read, and the rest comes', async () => {
    const good = old.state.devices.length
    old.state.devices.push({ uid: 'x', name: 'no-key', status: 'accepted' }, { uid: 7, status: 'accepted' })
    old.addDevice({ name: 'long\u001b[31m', mac: mac(), public_key: 'x'.repeat(5_000) })
    old.state.publicKeys.push(oldKey('array', { filter: [] }))
    old.state.members.push({ id: '9' } as never)
    old.state.rules?.push({ id: 'z', action: 'explode' })
    const read = (await cli.json(await fetchOptions(cli.home, old))) as {
      devices: number
      unreadable: { name: string }[]
    }
    expect(read.devices).toBe(good)
    expect(read.unreadable.map(({ name }) => name)).toEqual([
      '9',
      'no-key',
      'without a name',
      'long\u001b[31m',
      'array',
      'z',
    ])
    const text = await cli.bowline(await fetchOptions(cli.home, old))
    expect(text).toContain('Cannot be read: device no-key: public_key:')
    expect(text).not.toContain('\u001b')
  })

  it('is not asked for anything but reads', async () => {
    const methods = new Set<string | undefined>()
    old.misbehaves = (_, __, request) => {
      methods.add(request.method)
      return false
    }
    await cli.bowline(await fetchOptions(cli.home, old))
    expect([...methods]).toEqual(['GET'])
    expect([...old.credentials]).toEqual([`Bearer ${(await readFile(join(cli.home, 'token'), 'utf8')).trim()}`])
  })
})

it('refuses a certificate that nothing vouches for', async () => {
  const [key, cert] = [join(cli.home, 'key.pem'), join(cli.home, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  const tls = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  const secured = await OldServerDouble.start({ tls })
  onTestFinished(() => secured[Symbol.asyncDispose]())
  const [status, errors] = await cli.refusal(await fetchOptions(cli.home, secured))
  expect([status, errors]).toEqual([1, expect.stringMatching(/certificate/i)])
  expect(secured.asked).toEqual([])
})

it.each([
  ['http://old.example.com', 'T.T.T', 'Over http everybody on the way reads the token'],
  ['ftp://old.example.com', 'T.T.T', 'is not an address such as'],
  ['https://user:pass@old.example.com', 'T.T.T', 'is not an address such as'],
  ['https://old.example.com', 'hunter2', 'must have an API key (a UUID) or a token'],
])('refuses %s with the credential %s', async (address, credential, text) => {
  await writeFile(join(cli.home, 'token'), credential)
  const line = `import fetch ${address} --token-file ${cli.home}/token --to ${cli.home}/old.json`
  const [status, errors] = await cli.refusal(line)
  expect([status, errors]).toEqual([2, expect.stringContaining(text)])
  expect(errors).not.toContain('hunter2')
})

it('asks for the namespace where the key does not tell it, and compares it where it does', async () => {
  const line = await fetchOptions(cli.home, old, old.apiKey)
  const other = '00000000-0000-4000-8000-000000000000'
  expect(await cli.refusal(`${line} --tenant ${other}`)).toEqual([2, expect.stringContaining('not for')])
  old.state.devices = []
  expect(await cli.refusal(line)).toEqual([2, expect.stringContaining('--tenant')])
  expect(await cli.bowline(`${line} --tenant ${old.tenant}`)).toContain(old.tenant)
})

it('says what is missing where nobody can register, and takes over devices whose names and tags do not fit', async () => {
  old.state.devices = []
  old.state.rules = []
  old.addDevice({
    name: 'Kiosk.Hall',
    mac: mac().toUpperCase(),
    public_key: pem(),
    tags: ['one', 'two', 'three', 'four', 'x y'],
  })
  await cli.bowline(await fetchOptions(cli.home, old))
  const { lines } = (await cli.json(`import apply ${cli.home}/old.json --create`)) as Report
  const of = (name: string) => lines.find((line) => line.name === name)
  expect(of('grace@example.com')).toMatchObject({
    outcome: 'refused',
    reason: expect.stringContaining('BOWLINE_REGISTRATION=invited'),
  })
  expect(of('kiosk_hall')).toMatchObject({
    outcome: 'created',
    reason:
      'Its name there was Kiosk.Hall. Without the tags four, x y: a device has up to 3, of 3 or more letters, digits, - and _.',
  })
})
