// Texts of the device picker.
export const pickerMessages = {
  clear: 'Clear the device',
  loading: 'Loading …',
  none: 'No matches',
}
