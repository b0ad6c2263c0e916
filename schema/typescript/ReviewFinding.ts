// Generated from the method tables of Parley's app-server. Do not edit.

export type ReviewFinding = { title: string, body: string, confidence_score: number, priority: number, code_location: { absolute_file_path: string, line_range: { start: number, end: number } } };
