// Settings of the documentation that the server serves.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const

export const DOCS_SETTINGS = {
  BOWLINE_DOCS_SEARCH_APP_ID: {
    programs: server,
    schema: z.string().min(1).max(64).default('docs'),
    description: 'Application id that clients of the documentation’s search send; the site is built with the same.',
  },
  BOWLINE_DOCS_SEARCH_API_KEY: {
    programs: server,
    schema: z.string().min(1).max(128).default('public'),
    description: 'Key that clients of the documentation’s search send; it is in every page and no secret.',
  },
  BOWLINE_DOCS_PAGE_VIEWS: {
    programs: server,
    schema: z.enum(['on', 'off']).default('off'),
    description:
      'on: views of pages of the documentation are counted, without cookies or addresses, on this server only.',
  },
} as const satisfies Record<string, SettingSpec>
