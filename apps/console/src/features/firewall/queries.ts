// Queries for firewall rules. Their order matters, so all pages are loaded.
import { LIMITS } from '@bowline/contract/limits'
import { firewall } from '@bowline/contract/operations/firewall'
import type { Rule } from '@bowline/contract/schemas/firewall'
import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../live/apply-events.ts'
import type { Api } from '../../auth/api.ts'
import { inOrder } from './order.ts'

/** Guards against an endless loop; nobody reads more rules than that. */
const MAX_PAGES = 50

/** All rules in evaluation order. */
export function ruleListQuery(api: Api) {
  return queryOptions({
    queryKey: keys.firewall,
    queryFn: async ({ signal }): Promise<Rule[]> => {
      const rules: Rule[] = []
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const query = { page: String(page), per_page: String(LIMITS.perPage.max) }
        const { body, total } = await api.call(firewall.list, { query, signal })
        rules.push(...body)
        if (body.length === 0 || rules.length >= total) break
      }
      return inOrder(rules)
    },
  })
}
