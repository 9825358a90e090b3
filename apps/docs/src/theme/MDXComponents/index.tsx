// Components that pages may use without an import. Those with much data are imported by the pages that show them.
import MDXComponents from '@theme-original/MDXComponents'
import type { ReactElement } from 'react'
import { Card, Cards } from '../../components/cards.tsx'
import { Only } from '../../components/edition.tsx'
import { Endpoint } from '../../components/endpoint.tsx'
import { InstallCommand } from '../../components/install-command.tsx'
import { Permissions } from '../../components/permissions.tsx'
import { Table } from '../../components/table.tsx'
import { TryIt } from '../../components/try-it.tsx'
import CodeBlock from '../CodeBlock/index.tsx'

interface FenceProps {
  readonly 'data-html': string
  readonly 'data-language': string
  readonly 'data-title'?: string
}

/** A fence as output by generate/highlight-code.ts. */
const Fence = (props: FenceProps): ReactElement => (
  <CodeBlock html={props['data-html']} language={props['data-language']} title={props['data-title']} />
)

export default {
  ...MDXComponents,
  pre: Fence,
  table: Table,
  Card,
  Cards,
  Endpoint,
  InstallCommand,
  Only,
  Permissions,
  TryIt,
}
