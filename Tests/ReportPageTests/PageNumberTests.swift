import Testing

@testable import ReportPage

@Suite struct PageNumberTests {
  @Test(
    arguments: [
      (12_345.4, 12_345), (999.94, 999.9), (74.1723, 74.17), (9.87654, 9.877), (0.961234, 0.9612), (-1.23456, -1.235),
      (.nan, 0), (0, 0),
    ] as [(Double, Double)])
  func figuresKeepFourDigits(_ value: Double, _ rounded: Double) {
    #expect(PageNumber.rounded(value) == rounded)
  }
}
