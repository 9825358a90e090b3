// Buttons that save a list as a file, one for each format.
import { ExportFormat } from '@bowline/contract/schemas/common'
import { Download } from 'lucide-react'
import { Button, Group } from '../kit.ts'

interface ExportButtonsProps {
  readonly names: Readonly<Record<ExportFormat, string>>
  readonly onExport: (format: ExportFormat) => void
}

export function ExportButtons({ names, onExport }: ExportButtonsProps) {
  return (
    <Group gap="xs">
      {ExportFormat.options.map((format) => (
        <Button
          key={format}
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          onClick={() => onExport(format)}
        >
          {names[format]}
        </Button>
      ))}
    </Group>
  )
}
