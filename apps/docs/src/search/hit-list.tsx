// Renders groups of hits as lists of links.
import type { ReactElement } from 'react'
import { type Hit, headingOf, lineOf, pathOf } from './hit.ts'
import type { DocsAutocomplete, Item } from './use-docs-autocomplete.ts'
import styles from './search.module.css'

export function HitGroups({ search }: { readonly search: DocsAutocomplete }): ReactElement {
  const { api, state, go } = search
  return (
    <>
      {state.collections.map(({ source, items }) =>
        items.length === 0 ? null : (
          <section key={source.sourceId}>
            <div className={styles['groupTitle']}>{source.sourceId}</div>
            <div {...api.getListProps({ source })} aria-label={source.sourceId} aria-labelledby={undefined}>
              {items.map((item) => {
                const props = api.getItemProps({ item, source })
                return (
                  <a
                    key={item.objectID}
                    {...props}
                    href={pathOf(item)}
                    tabIndex={-1}
                    className={`${styles['hit']} ${styles[item.__child ?? 'none'] ?? ''}`}
                    onClick={(event) => {
                      const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey
                      if (!elsewhere) {
                        event.preventDefault()
                        go(item)
                      }
                      props.onClick(event)
                    }}
                  >
                    <HitText item={item} />
                  </a>
                )
              })}
            </div>
          </section>
        ),
      )}
    </>
  )
}

function HitText({ item }: { readonly item: Item }): ReactElement {
  const hit: Hit = item
  return (
    <>
      <Line className={styles['hitLine']} html={lineOf(hit)} />
      {hit.type !== 'lvl1' && <span className={styles['hitPath']}>{pathWords(hit)}</span>}
    </>
  )
}

/** The page of a heading, and the heading of a text. */
function pathWords(hit: Hit): string {
  const page = hit.hierarchy.lvl1 ?? ''
  const heading = hit.type === 'content' ? headingOf(hit) : ''
  return heading && heading !== page ? `${page} › ${heading}` : page
}

/** The service escapes everything except its own `<mark>` tags. */
export function Line({
  html,
  className,
}: {
  readonly html: string
  readonly className?: string | undefined
}): ReactElement {
  // oxlint-disable-next-line react/no-danger -- escaped, see above; a test sends it markup
  return <span className={className} dangerouslySetInnerHTML={{ __html: html }} />
}
