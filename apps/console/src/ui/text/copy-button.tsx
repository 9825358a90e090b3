// Copies a text and confirms it.
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { announce } from '../feedback/announce.tsx'
import { copyText } from './copy-text.ts'
import { ActionIcon, Tooltip } from '../kit.ts'
import { uiMessages } from '../messages.ts'

const SHOWN_MS = 1_500

interface CopyButtonProps {
  readonly text: string
  /** Noun for the label, for example `the SSH command`. */
  readonly what: string
  /** The tooltip; absent: the label. */
  readonly hint?: string
  /** Takes the focus when its dialog opens. */
  readonly focusFirst?: boolean
}

export function CopyButton({ text, what, hint, focusFirst }: CopyButtonProps) {
  const [result, setResult] = useState<'copied' | 'failed' | undefined>()
  useEffect(() => {
    if (!result) return
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [result])

  const label = result === 'copied' ? uiMessages.copied : uiMessages.copyFailed
  return (
    <Tooltip label={result ? label : (hint ?? uiMessages.copy(what))} {...(result ? { opened: true } : {})}>
      <ActionIcon
        aria-label={uiMessages.copy(what)}
        data-autofocus={focusFirst || undefined}
        onClick={async () => {
          const copied = await copyText(text)
          setResult(copied ? 'copied' : 'failed')
          announce(copied ? uiMessages.copied : uiMessages.copyFailed)
        }}
      >
        {result === 'copied' ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  )
}
