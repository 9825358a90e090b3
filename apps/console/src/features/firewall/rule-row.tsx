// One rule in the list: its effect, its subjects, its actions.
import type { Rule } from '@bowline/contract/schemas/firewall'
import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowDownToLine, ArrowUp, ArrowUpToLine, Ellipsis, Trash2, TriangleAlert } from 'lucide-react'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Badge, Switch, Text, VisuallyHidden } from '../../ui/kit.ts'
import { MenuButton } from '../../ui/controls/menu-button.tsx'
import { Menu } from '../../ui/controls/menu-parts.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import cells from '../../ui/list/cells.module.css'
import { useMembers } from '../namespaces/use-members.ts'
import { describeFilter } from '../tags/device-choice.ts'
import { ANY } from '../tags/pattern-field.tsx'
import { firewallMessages as texts } from './messages.ts'
import { subjectsText } from './subjects.ts'
import { neverMatches, networksShown } from './source.ts'
import classes from './firewall.module.css'

interface RuleRowProps {
  readonly rule: Rule
  readonly index: number
  readonly total: number
  /** Index of a rule above that matches whatever this one does. */
  readonly shadowedBy: number | undefined
  readonly mayEdit: boolean
  readonly mayRemove: boolean
  readonly onSwitch: (active: boolean) => void
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
}

export function RuleRow({ rule, index, total, shadowedBy, mayEdit, mayRemove, ...on }: RuleRowProps) {
  const { onSwitch, onMove, onRemove } = on
  const order = index + 1
  const networks = networksShown(rule)
  const about = subjectsText(rule, useMembers())
  return (
    <div className={classes['row']} data-off={!rule.active || undefined}>
      <Badge
        variant="light"
        color={rule.action === 'allow' ? 'green' : 'red'}
        className={classes[rule.action] ?? ''}
        miw={64}
      >
        {texts.actions[rule.action]}
      </Badge>
      <div className={classes['what']}>
        <Link to="/firewall" search={{ edit: String(rule.id) }} className={classes['sentence']}>
          <VisuallyHidden>{texts.openNamed(order)}: </VisuallyHidden>
          {about === undefined ? '' : `${about} · `}
          <PatternText value={rule.username} any={texts.anybody} /> · {texts.from}{' '}
          <PatternText value={networks.length > 0 ? networks.join(', ') : rule.source_ip} any={texts.anywhere} /> ·{' '}
          {describeFilter(rule.filter)}
        </Link>
        <Text size="xs" c="dimmed">
          {texts.openNamed(order)} · {texts.priority(formatCount(rule.priority))}
          {shadowedBy === undefined ? '' : ` · ${texts.shadowed(shadowedBy + 1)}`}
        </Text>
        {neverMatches(rule) ? (
          <Text size="xs" className={classes['warning'] ?? ''}>
            <TriangleAlert size={13} aria-hidden /> {texts.source.neverMatches}
          </Text>
        ) : null}
      </div>
      <Switch
        size="sm"
        checked={rule.active}
        disabled={!mayEdit}
        aria-label={texts.activeNamed(order)}
        onChange={(event) => onSwitch(event.currentTarget.checked)}
      />
      <MenuButton
        position="bottom-end"
        withinPortal
        face={
          <IconButton aria-label={texts.moreNamed(order)} disabled={!mayEdit && !mayRemove}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <Menu.Item
          leftSection={<ArrowUpToLine size={15} aria-hidden />}
          disabled={!mayEdit || index === 0}
          onClick={() => onMove(0)}
        >
          {texts.moveTop}
        </Menu.Item>
        <Menu.Item
          leftSection={<ArrowUp size={15} aria-hidden />}
          disabled={!mayEdit || index === 0}
          onClick={() => onMove(index - 1)}
        >
          {texts.moveUp}
        </Menu.Item>
        <Menu.Item
          leftSection={<ArrowDown size={15} aria-hidden />}
          disabled={!mayEdit || order === total}
          onClick={() => onMove(index + 1)}
        >
          {texts.moveDown}
        </Menu.Item>
        <Menu.Item
          leftSection={<ArrowDownToLine size={15} aria-hidden />}
          disabled={!mayEdit || order === total}
          onClick={() => onMove(total - 1)}
        >
          {texts.moveBottom}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Trash2 size={15} aria-hidden />} disabled={!mayRemove} onClick={onRemove}>
          {texts.remove}
        </Menu.Item>
      </MenuButton>
    </div>
  )
}

function PatternText({ value, any }: { readonly value: string; readonly any: string }) {
  return value === ANY ? any : <code className={cells['code']}>{value}</code>
}
