// Generates the API reference: one page for each operation of each edition's OpenAPI document, written before the build
// into a git-ignored folder.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { allOperations } from '@bowline/contract/operations'
import { type DocumentedOperation, type OpenApi, slugOf } from './openapi-document.ts'
import { operationPage } from './operation-page.ts'

const EDITIONS = ['community', 'cloud'] as const
type Edition = (typeof EDITIONS)[number]
/** Relative to the site folder. */
const API_FOLDER = '.generated/api'
/** Sidebars of these pages, next to their folder. */
const SIDEBARS = '.generated/sidebars-api.json'
const DOCUMENTS = '../../packages/contract/openapi'

const NAMES = { community: 'Community and enterprise', cloud: 'Cloud' } as const

/** The operations of an edition in the order of its document, by tag. */
function operationsByTag(edition: Edition): { tag: string; operations: DocumentedOperation[] }[] {
  const document = readDocument(edition)
  const byTag = new Map<string, DocumentedOperation[]>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      // Alternative paths of the same operation are listed on its page.
      if (operation.operationId.includes('.alias')) continue
      const [tag = 'other'] = operation.tags
      const entry = { ...operation, slug: slugOf(operation.operationId), method: method.toUpperCase(), path }
      byTag.set(tag, [...(byTag.get(tag) ?? []), entry])
    }
  }
  return [...byTag].map(([tag, operations]) => ({ tag, operations }))
}

/** Writes changed files and removes obsolete ones. */
export function writeApiPages(): void {
  const pages = new Map<string, string>([['index.mdx', indexPage()]])
  const declared = new Map(allOperations().map(({ id, operation }) => [id, operation]))
  for (const edition of EDITIONS) {
    const groups = operationsByTag(edition)
    const document = readDocument(edition)
    pages.set(`${edition}.mdx`, editionPage(edition, groups))
    for (const { operations } of groups) {
      for (const operation of operations) {
        const page = operationPage(operation, document, {
          edition,
          aliases: declared.get(operation.operationId)?.aliases ?? [],
        })
        pages.set(`${edition}/${operation.slug}.mdx`, page)
      }
    }
  }
  write(pages)
  writeFileSync(SIDEBARS, JSON.stringify(Object.fromEntries(EDITIONS.map((edition) => [edition, sidebar(edition)]))))
}

/** Operations by noun; the index page belongs to the first edition's sidebar. */
function sidebar(edition: Edition): unknown[] {
  return [
    ...(edition === EDITIONS[0] ? [{ type: 'doc', id: 'index', label: 'OpenAPI' }] : []),
    { type: 'doc', id: edition, label: `${NAMES[edition]} edition` },
    ...operationsByTag(edition).map(({ tag, operations }) => ({
      type: 'category',
      key: `${edition}-${tag}`,
      label: tag,
      items: operations.map(({ slug, method, path }) => ({
        type: 'doc',
        id: `${edition}/${slug}`,
        label: `${method} ${path.replace(/^\/api/, '')}`,
        className: 'operation',
      })),
    })),
    {
      type: 'link',
      label: edition === 'cloud' ? 'Community and enterprise' : 'Cloud edition',
      href: `/developers/openapi/${edition === 'cloud' ? 'community' : 'cloud'}`,
    },
  ]
}

function readDocument(edition: Edition): OpenApi {
  return JSON.parse(readFileSync(join(DOCUMENTS, `${edition}.json`), 'utf8')) as OpenApi
}

function indexPage(): string {
  return `---
title: OpenAPI
slug: /
description: The HTTP API of Bowline as OpenAPI 3.1, one page for each call.
pagination_prev: null
displayed_sidebar: community
---

Everything that the console does goes through one HTTP API below \`/api\`. Every server publishes its own description of
it, made from the same contract that its routes are checked against:

| Document | Of |
| --- | --- |
| \`/openapi.json\` | every call |
| \`/openapi/community.json\` | self-hosted servers: community and enterprise edition |
| \`/openapi/cloud.json\` | the hosted service |

- [Community and enterprise edition](./community.mdx)
- [Cloud edition](./cloud.mdx)

## Credentials

| Credential | Header | For |
| --- | --- | --- |
| Token of \`POST /api/login\`, valid for 72 hours | \`Authorization: Bearer …\` | all calls of people |
| [API key](/user-guides/settings/namespace/api-keys/create) | \`X-API-Key: …\` | calls of one namespace; not those about accounts and API keys |

If a request has both, the API key counts. The namespace of a call is always that of its credential.

## Lists

Lists take \`page\` (from 1) and \`per_page\` (1 to 100, default 10) and answer their total in the header
\`X-Total-Count\`. Where a list has a \`filter\`, it is base64 of a JSON array of conditions:

\`\`\`json
[{ "type": "property", "params": { "name": "name", "operator": "contains", "value": "raspberry" } }]
\`\`\`

The operators are \`contains\`, \`eq\`, \`ne\`, \`bool\`, \`gt\` and \`lt\`; between two conditions stands
\`{ "type": "operator", "params": { "name": "and" } }\` or \`or\`.

## Failures

A failure answers \`{ "message": …, "code": … }\`, and \`fields\` where input is at fault. The codes and what to do about
them are in [Troubleshooting](/self-hosted/troubleshooting#answers-of-the-api).
`
}

function editionPage(edition: Edition, groups: ReturnType<typeof operationsByTag>): string {
  const lines = groups.flatMap(({ tag, operations }) => [
    `## ${tag}`,
    '',
    '| Call | |',
    '| --- | --- |',
    ...operations.map(
      ({ slug, method, path, summary }) => `| [\`${method} ${path}\`](./${edition}/${slug}.mdx) | ${summary} |`,
    ),
    '',
  ])
  return `---
title: ${NAMES[edition]} API
sidebar_label: Overview
description: Every call of the ${edition} edition.
displayed_sidebar: ${edition}
---

${
  edition === 'cloud'
    ? 'Calls of the hosted service. What a self-hosted server does not have is marked on the page of the call.'
    : 'Calls of a self-hosted server. The document is at `/openapi/community.json` of your server.'
}

${lines.join('\n')}`
}

function write(pages: ReadonlyMap<string, string>): void {
  for (const [name, text] of pages) {
    const file = join(API_FOLDER, name)
    mkdirSync(dirname(file), { recursive: true })
    if (readOrNothing(file) !== text) writeFileSync(file, text)
  }
  for (const entry of readdirSync(API_FOLDER, { recursive: true, withFileTypes: true })) {
    const name = relative(API_FOLDER, join(entry.parentPath, entry.name))
    if (entry.isFile() && !pages.has(name)) rmSync(join(API_FOLDER, name))
  }
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
