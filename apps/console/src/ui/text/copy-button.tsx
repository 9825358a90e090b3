// Copies a text and confirms it.
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { announce } from '../feedback/announce.tsx'
import { hideTip, showTip } from '../feedback/tips.tsx'
import { copyText } from './copy-text.ts'
import { uiMessages } from '../messages.ts'

const SHOWN_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  /** Noun for the label, for example `the SSH command`. */
  readonly what: string
  /** The tip; absent: the label. */
  readonly hint?: string
  /** Takes the focus when its dialog opens. */
  readonly focusFirst?: boolean
  readonly onCopied?: (() => void) | undefined
}

export function CopyButton({ text, what, hint, focusFirst, onCopied }: CopyButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [result, setResult] = useState<'copied' | 'failed' | undefined>()
  useEffect(() => {
    const { current: target } = button
    if (!result || !target) return
    const label = result === 'copied' ? uiMessages.copied : uiMessages.copyFailed
    showTip(target, label)
    announce(label)
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS)
    return () => {
      clearTimeout(timer)
      hideTip(target)
    }
  }, [result])

  return (
    <IconButton
      ref={button}
      aria-label={uiMessages.copy(what)}
      data-tip={hint ?? uiMessages.copy(what)}
      data-autofocus={focusFirst || undefined}
      onClick={async () => {
        const isCopied = await copyText(text)
        setResult(isCopied ? 'copied' : 'failed')
        if (isCopied) onCopied?.()
      }}
    >
      {result === 'copied' ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
    </IconButton>
  )
}
