// The kit components that the console uses unchanged, with their stylesheets. Features import this file, never the kit
// itself, so that the kit stays replaceable and its accessibility fixes (theme.ts) apply everywhere. A component added
// here needs its stylesheet and those of its inner components (checked by kit.test.ts). Order matters: inner components
// come first.
import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/default-css-variables.css'
import '@mantine/core/styles/global.css'
import '@mantine/core/styles/ScrollArea.css'
import '@mantine/core/styles/UnstyledButton.css'
import '@mantine/core/styles/VisuallyHidden.css'
import '@mantine/core/styles/Paper.css'
import '@mantine/core/styles/Popover.css'
import '@mantine/core/styles/Combobox.css'
import '@mantine/core/styles/CloseButton.css'
import '@mantine/core/styles/Group.css'
import '@mantine/core/styles/Kbd.css'
import '@mantine/core/styles/Loader.css'
import '@mantine/core/styles/Overlay.css'
import '@mantine/core/styles/ModalBase.css'
import '@mantine/core/styles/Input.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/InlineInput.css'
import '@mantine/core/styles/ActionIcon.css'
import '@mantine/core/styles/Badge.css'
import '@mantine/core/styles/Button.css'
import '@mantine/core/styles/Checkbox.css'
import '@mantine/core/styles/Drawer.css'
import '@mantine/core/styles/Switch.css'
import '@mantine/core/styles/Menu.css'
import '@mantine/core/styles/Modal.css'
import '@mantine/core/styles/Notification.css'
import '@mantine/core/styles/PasswordInput.css'
import '@mantine/core/styles/Skeleton.css'
import '@mantine/core/styles/Stack.css'
import '@mantine/core/styles/Text.css'
import '@mantine/core/styles/Title.css'
import '@mantine/notifications/styles.css'

export {
  Autocomplete,
  Badge,
  Button,
  Checkbox,
  Drawer,
  Group,
  Kbd,
  Loader,
  Menu,
  Modal,
  MultiSelect,
  NativeSelect,
  Popover,
  Select,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  Textarea,
  Title,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
