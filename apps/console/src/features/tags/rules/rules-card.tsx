// The namespace's tag rules, below its tags: what each has done, and how far they have been applied.
import { LIMITS } from '@bowline/contract/limits'
import type { TagRule } from '@bowline/contract/operations/fleet/tag-rules'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { Dialog } from '../../../ui/feedback/dialog.tsx'
import { GatedAction } from '../../../ui/feedback/gated.tsx'
import { Text } from '../../../ui/kit.ts'
import { ListCard } from '../../../ui/page/list-card.tsx'
import { formatCount } from '../../../ui/text/numbers.ts'
import { useRuleActions } from './actions.ts'
import { ruleMessages as texts } from './messages.ts'
import { tagRulesQuery } from './queries.ts'
import { RuleForm } from './rule-form.tsx'
import classes from '../tags.module.css'

export function RulesCard() {
  const { api } = useRuntime()
  const may = useMay('tagRuleEdit')
  const list = useQuery(tagRulesQuery(api))
  const [editing, setEditing] = useState<TagRule | 'new'>()
  const [removing, setRemoving] = useState<TagRule>()
  const { remove } = useRuleActions()
  const gate = { may, why: texts.roleTooLow }
  const { waiting = 0, devices = 0 } = list.data ?? {}
  return (
    <ListCard
      query={{ ...list, data: list.data?.rules }}
      texts={texts}
      may={may}
      onCreate={() => setEditing('new')}
      renderRow={(rule) => (
        <li key={rule.id} className={classes['rule']}>
          <div className={classes['ruleText']}>
            <Text size="sm">
              <strong>{rule.tag}</strong> ← <code>{rule.query}</code> {rule.active ? null : `(${texts.off})`}
            </Text>
            <Text size="xs" c="dimmed">
              <Link to="/devices" search={{ q: rule.query }}>
                {texts.tagged(formatCount(rule.tagged), rule.matching)}
              </Link>
              {waiting === 0 && rule.active && rule.tagged < rule.matching
                ? ` · ${texts.noRoom(rule.matching - rule.tagged, LIMITS.tagsPerItem)}`
                : null}
            </Text>
          </div>
          <GatedAction
            {...gate}
            label={texts.editNamed(rule.tag, rule.query)}
            hint={texts.edit}
            onClick={() => setEditing(rule)}
          >
            <Pencil size={15} aria-hidden />
          </GatedAction>
          <GatedAction
            {...gate}
            label={texts.removeNamed(rule.tag, rule.query)}
            hint={texts.remove}
            onClick={() => setRemoving(rule)}
          >
            <Trash2 size={15} aria-hidden />
          </GatedAction>
        </li>
      )}
    >
      {waiting > 0 ? (
        <output className={classes['progress']}>
          {texts.progress(formatCount(Math.max(0, devices - waiting)), Math.max(devices, waiting))}
        </output>
      ) : null}
      <Dialog
        opened={editing !== undefined}
        onClose={() => setEditing(undefined)}
        title={editing === undefined || editing === 'new' ? texts.addTitle : texts.editTitle(editing.tag)}
      >
        {editing === undefined ? null : (
          <RuleForm {...(editing === 'new' ? {} : { rule: editing })} onDone={() => setEditing(undefined)} />
        )}
      </Dialog>
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.tag ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </ListCard>
  )
}
