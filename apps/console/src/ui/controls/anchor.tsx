// Gives a popover or a menu the button that is there already, where it would mount its own.
import { type Ref, type RefObject, useLayoutEffect } from 'react'

interface AnchorProps {
  readonly button: RefObject<HTMLElement | null>
  /** Set by the target of the popover, whose only child this is. */
  readonly ref?: Ref<HTMLElement>
}

export function Anchor({ button, ref }: AnchorProps) {
  useLayoutEffect(() => {
    if (typeof ref !== 'function') return undefined
    const release = ref(button.current)
    return () => (typeof release === 'function' ? release() : void ref(null))
  }, [button, ref])
  return null
}
