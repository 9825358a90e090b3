// Asks where to move a pane or a tab: what dragging does, for the keyboard.
import { useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Button, Group, Modal, NativeSelect, Stack } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { EDGES, type Edge, paneIds } from '../layout/layout.ts'
import type { Workspace } from '../workspace.ts'
import { movingMessages as texts } from './messages.ts'
import type { Moved } from './moves.ts'

const OWN_TAB = 'own-tab'

export function MoveDialog({ workspace }: { readonly workspace: Workspace }) {
  const moved = useStore(workspace.moving)
  return moved ? <Question workspace={workspace} moved={moved} /> : null
}

function Question({ workspace, moved }: { readonly workspace: Workspace; readonly moved: Moved }) {
  const { tabs } = useStore(workspace.state)
  const from = tabs.find(({ id, layout }) => ('tab' in moved ? id === moved.tab : paneIds(layout).includes(moved.pane)))
  const own = !from ? [] : 'tab' in moved ? paneIds(from.layout) : [moved.pane]
  const others = tabs.flatMap((tab) =>
    paneIds(tab.layout).flatMap((id, at) => {
      const pane = own.includes(id) ? undefined : workspace.pane(id)
      if (!pane) return []
      const { name } = pane.device
      return [{ value: id, label: texts.paneOf(tab.name ?? name, name, formatCount(at + 1)) }]
    }),
  )
  const mayLeave = 'pane' in moved && from !== undefined && paneIds(from.layout).length > 1
  const places = [...others, ...(mayLeave ? [{ value: OWN_TAB, label: texts.ownTab }] : [])]
  const [chosen, setPlace] = useState<string>()
  const [edge, setEdge] = useState<Edge>('right')
  const place = chosen ?? places[0]?.value ?? ''
  const close = () => {
    workspace.moving.set(undefined)
    const { tabs: now, active } = workspace.state.get()
    workspace.pane(now.find(({ id }) => id === active)?.focused ?? '')?.screen.terminal.focus()
  }
  return (
    <Modal
      opened
      onClose={close}
      returnFocus={false}
      title={'tab' in moved ? texts.tabTitle : texts.paneTitle}
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          workspace.moveTo(moved, place === OWN_TAB ? OWN_TAB : { beside: place, edge })
          announce(texts.moved)
          close()
        }}
      >
        <Stack gap="md">
          <NativeSelect
            label={texts.beside}
            data={places}
            value={place}
            data-autofocus
            onChange={(event) => setPlace(event.currentTarget.value)}
          />
          {place === OWN_TAB ? null : (
            <NativeSelect
              label={texts.edge}
              data={EDGES.map((value) => ({ value, label: texts.edges[value] }))}
              value={edge}
              onChange={(event) => setEdge(EDGES.find((one) => one === event.currentTarget.value) ?? edge)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {uiMessages.cancel}
            </Button>
            <Button type="submit" disabled={place === ''}>
              {texts.move}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
