// Wraps every page: shows a banner on the home page when the site is served at another path than it was built for. An
// inline script inserts it, because no other file of the site loads then.
import { useLocation } from '@docusaurus/router'
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import type { ReactElement, ReactNode } from 'react'
import { NOT_LOADED } from '../../../generate/paint-first.ts'

const ID = 'base-url-banner'

const script = (baseUrl: string): string => `
addEventListener('${NOT_LOADED}', function () {
  var built = ${JSON.stringify(baseUrl)}
  var served = location.pathname.replace(/[^/]*$/, '')
  var banner = document.getElementById('${ID}')
  banner.textContent = 'This site did not load: it was built for the base address ' + built + ' and is served at ' + served + '. Build it with DOCS_BASE_URL=' + served + ' or serve it at ' + built + '.'
  banner.hidden = false
})`

export default function Root({ children }: { readonly children: ReactNode }): ReactElement {
  const { siteConfig } = useDocusaurusContext()
  const { pathname } = useLocation()
  return (
    <>
      {pathname === siteConfig.baseUrl && (
        <>
          <div
            id={ID}
            role="alert"
            hidden
            suppressHydrationWarning
            style={{ padding: '1rem', background: '#7a1f1f', color: '#fff' }}
          />
          <script
            // oxlint-disable-next-line react/no-danger -- our own text
            dangerouslySetInnerHTML={{ __html: script(siteConfig.baseUrl) }}
          />
        </>
      )}
      {children}
    </>
  )
}
