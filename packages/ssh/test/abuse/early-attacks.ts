// Attacks by unauthenticated clients.
import { equal } from 'node:assert/strict'
import { once } from 'node:events'
import { encodeKexInit } from '../../src/transport/kexinit.ts'
import { CLIENT_KEXINIT } from '../support/client-exchange.ts'
import { Dice, damage } from '../support/fuzz.ts'
import { ed25519Key, rsaKey } from '../support/user-key.ts'
import * as n from '../../src/wire/numbers.ts'
import { WireWriter } from '../../src/wire/writer.ts'
import { client, dial, gone, leave, signedIn } from './attack.ts'
import type { Attack, Target } from './attack.ts'

/** Writes raw bytes to new connections and waits until all have been dropped. */
async function raw(target: Target, streams: readonly (readonly Uint8Array[])[]): Promise<void> {
  await Promise.all(
    streams.map((parts) => {
      const socket = dial(target)
      for (const part of parts) socket.write(part)
      return gone(socket)
    }),
  )
}

const IDENT = Buffer.from('SSH-2.0-Attacker\r\n')
const clearPacket = (length: number, rest: Uint8Array) => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(length)
  return Buffer.concat([head, rest])
}
/** A packet length that fits a KEXINIT and the block size. */
const CLEAR_BYTES = 1_012
const repeat = (times: number, stream: readonly Uint8Array[]) => Array.from({ length: times }, () => stream)

export const EARLY_ATTACKS: readonly Attack[] = [
  {
    name: '400 slow handshakes: silent, identified only, half a KEXINIT, stopped before sign-in; a login works meanwhile',
    ends: ['timeout/ident-timeout', 'timeout/kex-timeout', 'timeout/login-grace'],
    leaves: true,
    async run(target) {
      const init = encodeKexInit(CLIENT_KEXINIT, Buffer.alloc(16))
      const half = clearPacket(CLEAR_BYTES, Buffer.concat([Buffer.of(8), init.subarray(0, init.length / 2)]))
      const streams = [...repeat(150, []), ...repeat(150, [IDENT]), ...repeat(80, [IDENT, half])]
      const stopped = Array.from({ length: 20 }, async () => {
        const attacker = client(target)
        await attacker.startAuthentication()
        await gone(attacker.socket)
      })
      const all = Promise.all([raw(target, streams), ...stopped])
      await leave(await signedIn(target))
      await all
    },
  },
  {
    name: 'garbage instead of SSH',
    ends: ['protocol/bad-ident', 'protocol/bad-packet-length'],
    leaves: false,
    async run(target) {
      const dice = new Dice(2)
      const noise = Buffer.from(Array.from({ length: 65_536 }, () => dice.roll(256)))
      const http = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await raw(target, [...repeat(50, [noise]), ...repeat(50, [IDENT, noise]), ...repeat(20, [http])])
      await raw(target, repeat(20, [Buffer.alloc(1 << 20, 0x41)]))
    },
  },
  {
    name: 'packet lengths of zero, one, and gigabytes',
    ends: ['protocol/bad-packet-length'],
    leaves: false,
    async run(target) {
      const lengths = [0, 1, 5, 11, 0x10000, 0x7fff_ffff, 0xffff_ffff]
      await raw(
        target,
        lengths.flatMap((length) => repeat(5, [IDENT, clearPacket(length, Buffer.alloc(64, 4))])),
      )
    },
  },
  {
    name: 'key exchange after key exchange before signing in',
    ends: ['limit/too-many-rekeys'],
    leaves: false,
    async run(target) {
      const attacker = client(target)
      await attacker.startAuthentication()
      for (;;) {
        try {
          await attacker.exchangeKeys()
        } catch {
          break
        }
      }
      await gone(attacker.socket)
    },
  },
  {
    name: 'compression only',
    ends: ['protocol/no-common-algorithm'],
    leaves: false,
    async run(target) {
      const attacker = client(target, { kexInit: { compressionToServer: ['zlib'], compressionToClient: ['zlib'] } })
      await attacker.handshake().catch(() => undefined)
      await gone(attacker.socket)
    },
  },
  {
    name: 'keys: a replayed signature, one never proven, SHA-1, 1024 and 16384 bits',
    ends: ['protocol/unexpected-message'],
    leaves: true,
    async run(target) {
      const key = ed25519Key()
      const first = client(target)
      await first.startAuthentication()
      const replayed = first.publicKeyRequest({ algorithm: key.algorithm, blob: key.blob, signer: key.sign })
      await leave(first)
      const attacker = client(target)
      await attacker.startAuthentication()
      attacker.send(replayed)
      equal(await attacker.authAnswer(), 'failure')
      attacker.send(attacker.publicKeyRequest({ algorithm: key.algorithm, blob: key.blob }))
      equal(await attacker.authAnswer(), 'would-do')
      attacker.sendOpen('session', 1)
      await gone(attacker.socket)
      const second = client(target)
      await second.startAuthentication()
      const rsa = rsaKey()
      const sha1 = {
        algorithm: 'ssh-rsa',
        blob: rsa.blob,
        signer: (message: Uint8Array) => rsa.sign(message, 'ssh-rsa'),
      }
      second.send(second.publicKeyRequest(sha1))
      equal(await second.authAnswer(), 'failure')
      for (const blob of [rsaKey(1_024).blob, hugeRsaBlob()]) {
        const signer = (message: Uint8Array) => rsa.sign(message)
        second.send(second.publicKeyRequest({ algorithm: 'rsa-sha2-512', blob, signer }))
        equal(await second.authAnswer(), 'failure')
      }
      await leave(second)
    },
  },
  {
    name: 'another user name in the middle, and answers that answer nothing',
    ends: ['protocol/user-changed', 'protocol/malformed-packet'],
    leaves: false,
    async run(target) {
      const changing = client(target)
      await changing.startAuthentication()
      changing.sendPassword('user', 'wrong')
      changing.sendPassword('root', 'right')
      await gone(changing.socket)
      const counts = [0xffff_ffff, 0, 2]
      for (const count of counts) {
        const attacker = client(target)
        await attacker.startAuthentication()
        attacker.send(attacker.authRequest('user', 'keyboard-interactive').string('').string('').done())
        await attacker.next(n.MSG_USERAUTH_INFO_REQUEST)
        attacker.send(new WireWriter().byte(n.MSG_USERAUTH_INFO_RESPONSE).uint32(count).string('x').done())
        await gone(attacker.socket)
      }
    },
  },
  {
    name: 'two hundred damaged handshakes, cut off at once',
    ends: ['protocol/bad-ident', 'protocol/bad-padding'],
    leaves: true,
    async run(target) {
      const dice = new Dice(3)
      const init = encodeKexInit(CLIENT_KEXINIT, Buffer.alloc(16))
      const padding = Buffer.alloc(CLEAR_BYTES - 1 - init.length)
      const packet = clearPacket(CLEAR_BYTES, Buffer.concat([Buffer.of(padding.length & 0xff), init, padding]))
      for (let nr = 0; nr < 200; nr += 1) {
        const socket = dial(target)
        socket.write(damage(dice, Buffer.concat([IDENT, packet])))
        if (dice.roll(2) === 0) {
          await once(socket, 'connect')
          socket.resetAndDestroy()
        } else {
          socket.end()
          await gone(socket)
        }
      }
    },
  },
]

function hugeRsaBlob(): Uint8Array {
  return new WireWriter(4_096)
    .string('ssh-rsa')
    .mpint(Buffer.of(1, 0, 1))
    .mpint(Buffer.alloc(2_048, 0xff))
    .done()
}
