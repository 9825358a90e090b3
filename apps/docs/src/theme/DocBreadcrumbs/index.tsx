// Above each page: breadcrumbs, and the page as Markdown.
import type { ReactElement } from 'react'
import Breadcrumbs from '@theme-original/DocBreadcrumbs'
import { CopyPage } from '../../components/copy-page.tsx'

export default function DocBreadcrumbs(): ReactElement {
  return (
    <div className="page-top">
      <Breadcrumbs />
      <CopyPage />
    </div>
  )
}
