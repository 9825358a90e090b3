// A button with a menu that is mounted when it is first opened: closed menus are most of what a page would mount.
import {
  type ComponentProps,
  type ReactElement,
  type ReactNode,
  type Ref,
  type RefObject,
  cloneElement,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { Menu } from '../kit.ts'

interface MenuButtonProps extends Omit<ComponentProps<typeof Menu>, 'opened' | 'onChange' | 'id' | 'children'> {
  /** The button, without a handler of clicks. */
  readonly face: ReactElement<Readonly<Record<string, unknown>>>
  /** Class of the menu. */
  readonly menuClass?: string | undefined
  readonly children: ReactNode
}

export function MenuButton({ face, menuClass, children, onOpen, ...menu }: MenuButtonProps) {
  const id = useId()
  const button = useRef<HTMLElement>(null)
  const [isUsed, setUsed] = useState(false)
  const [opened, setOpened] = useState(false)
  const toggle = () => {
    if (!opened) onOpen?.()
    // The menu notices that it opens, which moves the focus: it is mounted closed.
    if (!isUsed) flushSync(() => setUsed(true))
    setOpened(!opened)
  }
  return (
    <>
      {cloneElement(face, {
        ref: button,
        // The menu has it as its label.
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': opened,
        'aria-controls': opened ? `${id}-dropdown` : undefined,
        'data-expanded': opened || undefined,
        onClick: toggle,
      })}
      {isUsed ? (
        <Menu {...menu} id={id} opened={opened} onChange={setOpened}>
          <Menu.Target>
            <Anchor button={button} />
          </Menu.Target>
          <Menu.Dropdown className={menuClass ?? ''}>{children}</Menu.Dropdown>
        </Menu>
      ) : null}
    </>
  )
}

interface AnchorProps {
  readonly button: RefObject<HTMLElement | null>
  readonly ref?: Ref<HTMLElement>
}

/** Gives the menu the button that is there already. */
function Anchor({ button, ref }: AnchorProps) {
  useLayoutEffect(() => {
    if (typeof ref !== 'function') return undefined
    const release = ref(button.current)
    return () => (typeof release === 'function' ? release() : void ref(null))
  }, [button, ref])
  return null
}
