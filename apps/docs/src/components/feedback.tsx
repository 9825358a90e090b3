// "Was this page helpful?", sent to the site's own server: no cookie, no third party.
import { useLocation } from '@docusaurus/router'
import { type ReactElement, useState } from 'react'

const MAX_CHARACTERS = 1_000

export function Feedback(): ReactElement {
  const { pathname } = useLocation()
  return <FeedbackForm key={pathname} pathname={pathname} />
}

function FeedbackForm({ pathname }: { readonly pathname: string }): ReactElement {
  const [helpful, setHelpful] = useState<boolean>()
  const [words, setWords] = useState('')
  const [state, setState] = useState<'asking' | 'sent' | 'failed'>('asking')

  async function send(): Promise<void> {
    const response = await fetch('/docs-events/feedback', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ path: pathname, helpful, words }),
    }).catch(() => undefined)
    setState(response?.ok ? 'sent' : 'failed')
  }

  if (state === 'sent') return <p className="feedback">Thank you.</p>
  return (
    <form
      className="feedback"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <fieldset>
        <legend>Was this page helpful?</legend>
        {[true, false].map((answer) => (
          <button
            key={String(answer)}
            type="button"
            className="button button--outline button--primary button--sm"
            aria-pressed={helpful === answer}
            onClick={() => setHelpful(answer)}
          >
            {answer ? 'Yes' : 'No'}
          </button>
        ))}
      </fieldset>
      {helpful !== undefined && (
        <>
          <label>
            <span>{helpful ? 'What helped? (optional)' : 'What is missing or wrong? (optional)'}</span>
            <textarea
              rows={3}
              maxLength={MAX_CHARACTERS}
              value={words}
              onChange={({ target }) => setWords(target.value)}
            />
          </label>
          <button type="submit" className="button button--primary button--sm">
            Send
          </button>
        </>
      )}
      {state === 'failed' && <p role="alert">It could not be sent. Try again later.</p>}
    </form>
  )
}
