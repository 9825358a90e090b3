// Tabs of the audit log: its entries, and the streams that send them.
import { Link } from '@tanstack/react-router'
import { TabBar } from '../../ui/list/tab-bar.tsx'
import { auditMessages as texts } from './messages.ts'

export function AuditTabs({ active }: { readonly active: 'entries' | 'streams' }) {
  const tab = (key: 'entries' | 'streams', to: '/audit' | '/audit/streams') => ({
    key,
    label: texts.tabs[key],
    active: active === key,
    render: (inner: React.ReactNode, properties: { className: string }) => (
      <Link to={to} {...properties}>
        {inner}
      </Link>
    ),
  })
  return <TabBar label={texts.tabsLabel} tabs={[tab('entries', '/audit'), tab('streams', '/audit/streams')]} />
}
