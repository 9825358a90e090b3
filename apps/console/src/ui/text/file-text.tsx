// A button that loads a small local text file into a field.
import { useRef } from 'react'
import { Button } from '../kit.ts'

const KEY_BYTES = 64 * 1024

interface FileTextProps {
  readonly label: string
  /** As the `accept` attribute of a file input. */
  readonly accept: string
  /** Larger files are ignored. Default: more than keys and certificates have. */
  readonly maxBytes?: number
  readonly onText: (text: string) => void
}

export function FileText({ label, accept, maxBytes = KEY_BYTES, onText }: FileTextProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="default" size="compact-sm" mt={6} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        onChange={async ({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // The same file can be chosen again, once it was corrected.
          currentTarget.value = ''
          if (file && file.size <= maxBytes) onText(await file.text())
        }}
      />
    </>
  )
}
