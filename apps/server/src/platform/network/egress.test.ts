import { describe, expect, it } from 'vitest'
import { addressRanges } from './address.ts'
import { type EgressRules, judgeEgress } from './egress.ts'

const cloud: EgressRules = { privateNetworks: false, allowed: () => false }
const own: EgressRules = { privateNetworks: true, allowed: addressRanges(['127.0.0.0/8']) }
const answers =
  (...addresses: string[]) =>
  () =>
    Promise.resolve(addresses)

describe('egress', () => {
  it.each([
    '127.0.0.1',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '169.254.169.254',
    'fe80::1',
    'fec0::1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '3fff::1',
    '224.0.0.1',
    '255.255.255.255',
    '10.1.2.3',
    '192.168.1.1',
    'fd00::1',
    '100.64.0.1',
    '2130706433',
    '0x7f.1',
    '017700000001',
    '0x7f000001',
  ])('refuses %s in the cloud', async (host) => {
    expect(await judgeEgress(host, cloud, answers('127.0.0.1'))).toHaveProperty('refused')
  })

  it('allows public addresses, and names that resolve to public addresses only', async () => {
    expect(await judgeEgress('9.9.9.9', cloud)).toEqual({ address: '9.9.9.9' })
    expect(await judgeEgress('docker.example.org', cloud, answers('9.9.9.9'))).toEqual({ address: '9.9.9.9' })
    expect(await judgeEgress('x.example.org', cloud, answers('9.9.9.9', '10.0.0.1'))).toHaveProperty('refused')
  })

  it.each([
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    'fd00:42::42',
    'fd00:c1::a9fe:a9fe',
    'fd20:ce::254',
  ])('refuses the metadata service %s also where private networks may be dialled', async (host) => {
    expect(await judgeEgress(host, own)).toHaveProperty('refused')
    expect(await judgeEgress('metadata.example.org', cloud, answers(host))).toHaveProperty('refused')
  })

  it('returns the checked address, so that DNS rebinding has no effect', async () => {
    const rebinding = ['9.9.9.9', '127.0.0.1']
    const resolve = () => Promise.resolve([rebinding.shift() ?? ''])
    expect(await judgeEgress('rebind.example.org', cloud, resolve)).toEqual({ address: '9.9.9.9' })
    expect(rebinding).toEqual(['127.0.0.1'])
  })

  it('allows private networks and configured ranges on a self-hosted server', async () => {
    expect(await judgeEgress('10.1.2.3', own)).toEqual({ address: '10.1.2.3' })
    expect(await judgeEgress('127.0.0.1', own)).toEqual({ address: '127.0.0.1' })
    expect(await judgeEgress('169.254.169.254', own)).toHaveProperty('refused')
  })

  it('reports a name that cannot be resolved', async () => {
    const resolve = () => Promise.reject(new Error('ENOTFOUND'))
    expect(await judgeEgress('nowhere.example.org', cloud, resolve)).toEqual({
      refused: 'nowhere.example.org cannot be resolved',
      unresolved: true,
    })
  })

  it('tells the operator, not whoever typed the name, which internal address it has', async () => {
    const seen: string[][] = []
    const rules = { ...cloud, refused: (...facts: string[]) => void seen.push(facts) }
    const answer = await judgeEgress('db.internal.example', rules, answers('9.9.9.9', '10.20.30.40'))
    expect(JSON.stringify(answer)).not.toContain('10.20.30.40')
    expect(answer).toEqual({
      refused: 'db.internal.example leads to an address that is not allowed',
      unresolved: false,
    })
    expect(seen).toEqual([['db.internal.example', '10.20.30.40']])
  })
})
