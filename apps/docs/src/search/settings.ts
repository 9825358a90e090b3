// The site configuration that search uses.
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'

export interface SearchSettings {
  readonly appId: string
  readonly apiKey: string
  readonly indexName: string
  /** Further hosts, after the site's own. */
  readonly hosts: readonly string[]
  /** Address for reports of missing results, the query is appended; '' disables them. */
  readonly missingResultsUrl: string
}

export function useSearchSettings(): SearchSettings {
  const { siteConfig } = useDocusaurusContext()
  return siteConfig.customFields?.['search'] as SearchSettings
}
