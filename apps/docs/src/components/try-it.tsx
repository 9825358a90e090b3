// Sends the page's API call from the reader's browser to their own server. The credential stays in memory.
import { type ReactElement, useId, useState } from 'react'

interface TryItProps {
  readonly method: string
  readonly path: string
  /** JSON of the example. */
  readonly body?: string
}

interface Answer {
  readonly status: string
  readonly text: string
}

const MAX_CHARACTERS = 20_000

export function TryIt({ method, path, body }: TryItProps): ReactElement {
  const names = [...path.matchAll(/\{([\w-]+)\}/g)].map(([, name = '']) => name)
  const [token, setToken] = useState('')
  const [query, setQuery] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [sent, setSent] = useState(body ?? '')
  const [answer, setAnswer] = useState<Answer>()
  const [busy, setBusy] = useState(false)

  async function send(): Promise<void> {
    setBusy(true)
    const address = path.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
    const isKey = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(token)
    try {
      const response = await fetch(`${address}${query === '' ? '' : `?${query.replace(/^\?/, '')}`}`, {
        method,
        headers: {
          ...(token === '' ? {} : isKey ? { 'X-API-Key': token } : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: sent }),
      })
      const text = (await response.text()).slice(0, MAX_CHARACTERS)
      setAnswer({ status: `${response.status} ${response.statusText}`, text: pretty(text) })
    } catch (error) {
      setAnswer({ status: 'No answer', text: String(error) })
    }
    setBusy(false)
  }

  return (
    <details className="try-it">
      <summary>Send it from this page</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p>To the server that this page comes from. The credential stays in this tab.</p>
        <Field label="Token or API key" value={token} onChange={setToken} type="password" />
        {names.map((name) => (
          <Field
            key={name}
            label={name}
            value={values[name] ?? ''}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        {method === 'GET' && <Field label="Query" value={query} onChange={setQuery} placeholder="page=1&per_page=10" />}
        {body !== undefined && (
          <label>
            <span>Body</span>
            <textarea
              rows={Math.min(12, sent.split('\n').length + 1)}
              value={sent}
              onChange={(e) => setSent(e.target.value)}
            />
          </label>
        )}
        <button className="button button--primary button--sm" type="submit" disabled={busy}>
          Send
        </button>
        <output aria-live="polite">
          {answer && (
            <>
              <strong>{answer.status}</strong>
              <pre>{answer.text}</pre>
            </>
          )}
        </output>
      </form>
    </details>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: 'password'
  readonly placeholder?: string
}

function Field({ label, value, onChange, type, placeholder }: FieldProps): ReactElement {
  const id = useId()
  return (
    <label htmlFor={id}>
      <span>{label}</span>
      <input
        id={id}
        type={type ?? 'text'}
        autoComplete="off"
        value={value}
        placeholder={placeholder}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
