// Saves and removes public keys, with undo.
import { publicKeys } from '@bowline/contract/operations/public-keys'
import type { PublicKey, PublicKeyBody } from '@bowline/contract/schemas/public-key'
import { useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { keys } from '../../live/apply-events.ts'
import { notifyDone, notifyFailure } from '../../ui/feedback/notify.tsx'
import { publicKeysMessages as texts } from './messages.ts'

type Body = z.infer<typeof PublicKeyBody>

/** A disabled key has no owner to send: it would become a service key. */
const bodyOf = ({ name, username, filter, owner, disabled }: PublicKey): Body => ({
  name,
  username,
  filter,
  ...(disabled ? {} : { owner }),
})

export interface KeyActions {
  /** @param data base64 of the key's line. @throws the call's error: the form shows it */
  add(body: Body, data: string): Promise<void>
  /** @throws the call's error */
  save(before: PublicKey, body: Body): Promise<void>
  /** A failure has been shown when it resolves. */
  remove(key: PublicKey): Promise<void>
}

export function useKeyActions(): KeyActions {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: keys.publicKeys })

  async function put({ fingerprint }: PublicKey, body: Body): Promise<void> {
    await api.call(publicKeys.update, { params: { fingerprint }, body })
    await reload()
  }
  async function create(body: Body, data: string): Promise<void> {
    await api.call(publicKeys.create, { body: { ...body, data } })
    await reload()
  }
  return {
    async add(body, data) {
      await create(body, data)
      notifyDone({ title: texts.added(body.name) })
    },
    async save(before, body) {
      await put(before, body)
      // A disabled key that was taken over cannot be returned to somebody who has left.
      const undo = before.disabled ? {} : { onUndo: () => put(before, bodyOf(before)) }
      notifyDone({ title: texts.saved(body.name), ...undo })
    },
    async remove(key) {
      try {
        await api.call(publicKeys.remove, { params: { fingerprint: key.fingerprint } })
        await reload()
        // No undo: re-creating a disabled key would let the holder of its private half sign in.
        const undo = key.disabled ? {} : { onUndo: () => create(bodyOf(key), key.data) }
        notifyDone({ title: texts.removed(key.name), ...undo })
      } catch (error) {
        notifyFailure({ title: texts.removeFailed(key.name), error, onRetry: () => void this.remove(key) })
      }
    },
  }
}
