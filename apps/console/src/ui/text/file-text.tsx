// A button that loads a small local text file into a field.
import { useRef } from 'react'
import { Button } from '../kit.ts'

const MAX_BYTES = 64 * 1024

interface FileTextProps {
  readonly label: string
  /** As the `accept` attribute of a file input. */
  readonly accept: string
  /** Called with the file's text; not for files larger than keys and certificates are. */
  readonly onText: (text: string) => void
}

export function FileText({ label, accept, onText }: FileTextProps) {
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
        onChange={async (event) => {
          const file = event.currentTarget.files?.[0]
          if (file && file.size <= MAX_BYTES) onText(await file.text())
        }}
      />
    </>
  )
}
