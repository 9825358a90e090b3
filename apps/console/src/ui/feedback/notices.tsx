// What shows the notifications, in a file of its own: most pages load without one.
export { Notifications } from '@mantine/notifications'
