// The search field, in the dialog and on the page: a combobox over the hit lists.
import type { InputHTMLAttributes, ReactElement } from 'react'
import { QUERY_LIMIT } from './search-docs.ts'
import type { DocsAutocomplete } from './use-docs-autocomplete.ts'
import styles from './search.module.css'

interface SearchInputProps extends Pick<InputHTMLAttributes<HTMLInputElement>, 'onBlur' | 'onKeyDown'> {
  readonly search: DocsAutocomplete
  /** The element, once mounted. */
  readonly element: HTMLInputElement | null
  readonly setElement: (element: HTMLInputElement | null) => void
  /** True while hit lists are on screen. */
  readonly open: boolean
}

/** `onBlur` and `onKeyDown` replace autocomplete's own. */
export function SearchInput({ search, element, setElement, open, ...handlers }: SearchInputProps): ReactElement {
  const { api, listIds } = search
  const label = api.getLabelProps()
  return (
    <>
      <label htmlFor={label.htmlFor} id={label.id} className={styles['label']}>
        Search
      </label>
      <input
        {...api.getInputProps({ inputElement: element })}
        {...handlers}
        ref={setElement}
        className={styles['input']}
        type="search"
        placeholder="Search docs"
        maxLength={QUERY_LIMIT}
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? listIds : undefined}
      />
    </>
  )
}
