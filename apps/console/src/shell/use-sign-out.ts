// Signs out, from the account menu and the palette.
import { noteSignOut } from '../auth/sign-in-provider.ts'
import { useRuntime } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'
import { type Action, useAction } from '../core/use-action.ts'
import { mayLeave } from '../platform/unsaved.ts'

export function useSignOut(): Action<void> {
  const { session } = useRuntime()
  return useAction({
    call: async () => {
      if (!(await mayLeave())) return
      await session.signOut()
      noteSignOut()
    },
    failed: texts.signOutFailed,
  })
}
