package protocol

const planEnglish = `Current task state:
- R1 [completed @round_003] The report lists all four quarters
- A1 [pending] report.pdf in the workspace
- F1 [untrusted] The sheet has 412 rows
Task contract:
The report exists and is right.

- Boundaries: only out/ may change
> Next: gui
Next: cli
Task: Export the report as PDF
Requirements: R1, R2
Acceptance criteria:
- C1 report.pdf exists and has 4 pages   check: run ` + "`pdfinfo report.pdf | grep -q 'Pages: *4'`" + `
- C2 the title page is dated
Boundaries: write only to out/
Related audit reports: round_003 — the quarters, round_004
`

const planChinese = `当前任务状态：
- R1 [已完成 @round_003] 报告列出四个季度
- A1 [待定] 工作区中的 report.pdf
任务契约：
报告存在且正确。
下一步：命令行
任务：把报告导出为 PDF
需求：R1、R2
验收标准：
- C1 report.pdf 存在   检查：file report.pdf exists
边界：只写 out/
相关审计报告：第3轮、第 4 轮
`

const auditEnglish = `Status: incomplete
Integrity: clean
Contract audit: aligned
Facts:
- report.pdf has 3 pages [evidence: shot-7]
Evidence:
- e12, e13 — the page count
Gaps:
- The fourth quarter is missing
Blocking constraints:
- The sheet lacks Q4
State update for manager:
R1 stays pending.
`

const auditChinese = `状态：未完成
完整性：干净
契约审计：一致
事实：
- report.pdf 有 3 页
证据：e12、e13
阻塞约束：
- 表格缺少第四季度
给管理者的状态更新：
R1 仍为待定。
`
