// `bowline doctor` about nodes of which one has an address that leads nowhere.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { putNode } from '../nodes/store.ts'
import { makeCertificate, publicKeyPin } from '../platform/network/certificate.ts'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { checkNodes } from './nodes.ts'

let server: BootedServer
let address: string
let folder: string
beforeAll(async () => {
  address = `127.0.0.1:${await freePort()}`
  folder = await mkdtemp(join(tmpdir(), 'bowline-nodes-'))
  server = await bootServer({ settings: { BOWLINE_NODE_ADDRESS: address, BOWLINE_RECORDINGS_DIR: folder } })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

it('names the nodes that cannot be reached, or are not at their address', async () => {
  const system = server.database.system()
  const { cert } = await makeCertificate(['node'])
  const other = { life: randomUUID(), version: 'v1', keyPin: publicKeyPin(cert) }
  await putNode(system, { ...other, id: 'nowhere', address: `127.0.0.1:${await freePort()}` })
  await putNode(system, { ...other, id: 'somebody', address })
  const findings = await checkNodes(system)
  const of = (text: string) => findings.find(({ message }) => message.includes(text))
  expect(findings.filter(({ status }) => status === 'ok').map(({ message }) => message)).toEqual([
    expect.stringContaining(`answers at ${address}`),
  ])
  expect(of('nowhere')).toMatchObject({ status: 'fail', message: expect.stringContaining('ECONNREFUSED') })
  expect(of('somebody')).toMatchObject({ status: 'fail', message: expect.stringContaining('another key') })
})
