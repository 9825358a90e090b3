/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows of a grid that a text field steers are no table */
// Recent and favourite searches: rows with actions. A grid, because the actions are controls themselves.
import type { ReactElement } from 'react'
import { headingOf, pathOf } from './hit.ts'
import { forget, promote } from './history.ts'
import type { DocsAutocomplete } from './use-docs-autocomplete.ts'
import styles from './search.module.css'

const TITLES = { recent: 'Recent', favorites: 'Favorite' } as const

export function HistoryLists({ search }: { readonly search: DocsAutocomplete }): ReactElement {
  const { api, state, go } = search
  return (
    <>
      {state.collections.map(({ source, items }) => {
        const list = source.sourceId === 'favorites' ? 'favorites' : 'recent'
        if (items.length === 0) return null
        return (
          <section key={source.sourceId}>
            <div className={styles['groupTitle']}>{TITLES[list]}</div>
            <div {...api.getListProps({ source })} role="grid" aria-label={TITLES[list]} aria-labelledby={undefined}>
              {items.map((item) => {
                const row = api.getItemProps({ item, source })
                const title = headingOf(item)
                return (
                  <div
                    key={item.objectID}
                    {...row}

                    role="row"
                    className={`${styles['hit']} ${styles['kept']}`}
                  >
                    <span role="gridcell" className={styles['keptTitle']}>
                      <a
                        href={pathOf(item)}
                        tabIndex={-1}
                        onClick={(event) => {
                          // Leave keys that open a link elsewhere to the browser.
                          if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
                            event.preventDefault()
                            go(item)
                          }
                          row.onClick(event)
                        }}
                      >
                        {title}
                      </a>
                    </span>
                    <span role="gridcell">
                      {list === 'recent' && (
                        <Action
                          label={`Save ${title} as a favorite`}
                          sign="☆"
                          act={() => promote({ ...item, content: null })}
                          search={search}
                        />
                      )}
                      <Action
                        label={`Remove ${title} from ${list === 'recent' ? 'history' : 'favorites'}`}
                        sign="×"
                        act={() => forget(list, item)}
                        search={search}
                      />
                    </span>
                  </div>
                )
              })}
            </div>
          </section>
        )
      })}
    </>
  )
}

interface ActionProps {
  readonly label: string
  readonly sign: string
  readonly act: () => void
  readonly search: DocsAutocomplete
}

function Action({ label, sign, act, search }: ActionProps): ReactElement {
  return (
    <button
      type="button"
      className={styles['action']}
      aria-label={label}
      title={label}
      onClick={(event) => {
        event.stopPropagation()
        act()
        void search.api.refresh()
      }}
    >
      {sign}
    </button>
  )
}
