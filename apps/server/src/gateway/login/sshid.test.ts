import { describe, expect, it } from 'vitest'
import { parseSshId } from './sshid.ts'

const uid = 'ab'.repeat(32)

describe('SSHID', () => {
  it('parses namespace and device name', () => {
    expect(parseSshId('root@dev.pi')).toEqual({ user: 'root', target: { namespace: 'dev', device: 'pi' } })
  })

  it('parses a device uid in any case', () => {
    expect(parseSshId(`root@${uid}`)).toEqual({ user: 'root', target: { uid } })
    expect(parseSshId(`root@${uid.toUpperCase()}`)).toEqual({ user: 'root', target: { uid } })
  })

  it('keeps an @ of a directory account in the user part', () => {
    expect(parseSshId('anna@corp@dev.pi')).toEqual({ user: 'anna@corp', target: { namespace: 'dev', device: 'pi' } })
  })

  it('splits namespace and device at the first dot', () => {
    expect(parseSshId('root@dev.rack.pi')).toEqual({ user: 'root', target: { namespace: 'dev', device: 'rack.pi' } })
  })

  it.each(['root', '@dev.pi', 'root@', 'root@dev', 'root@.pi', 'root@dev.', '', 'x'.repeat(600)])(
    'rejects SSHID %j',
    (text) => {
      expect(parseSshId(text)).toBeUndefined()
    },
  )
})
