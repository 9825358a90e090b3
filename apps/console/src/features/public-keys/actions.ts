// Saves and removes public keys, with undo.
import { publicKeys } from '@bowline/contract/operations/public-keys'
import type { PublicKey, PublicKeyBody } from '@bowline/contract/schemas/public-key'
import type { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { type Action, type FormAction, useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
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
  readonly add: FormAction<NewKey>
  readonly save: FormAction<KeyChange>
  readonly remove: Action<PublicKey>
}

interface NewKey {
  readonly body: Body
  /** Base64 of the key's line. */
  readonly data: string
}

interface KeyChange {
  readonly before: PublicKey
  readonly body: Body
}

const INVALIDATES = [keys.publicKeys]

export function useKeyActions(): KeyActions {
  const { api } = useRuntime()
  const put = ({ fingerprint }: PublicKey, body: Body) => api.call(publicKeys.update, { params: { fingerprint }, body })
  const create = ({ body, data }: NewKey) => api.call(publicKeys.create, { body: { ...body, data } })
  const add = useAction({ call: create, done: ({ body }) => texts.added(body.name), invalidates: INVALIDATES })
  const save = useAction({
    call: ({ before, body }: KeyChange) => put(before, body),
    done: ({ body }) => texts.saved(body.name),
    undo: ({ before }) => put(before, bodyOf(before)),
    // A disabled key that was taken over cannot be returned to somebody who has left.
    canUndo: ({ before }) => !before.disabled,
    invalidates: INVALIDATES,
  })
  const remove = useAction({
    call: ({ fingerprint }: PublicKey) => api.call(publicKeys.remove, { params: { fingerprint } }),
    done: ({ name }) => texts.removed(name),
    failed: ({ name }) => texts.removeFailed(name),
    undo: (key) => create({ body: bodyOf(key), data: key.data }),
    // Re-creating a disabled key would let the holder of its private half sign in.
    canUndo: (key) => !key.disabled,
    invalidates: INVALIDATES,
  })
  return { add, save, remove }
}
